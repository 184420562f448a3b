import { type ClockMode, type EmulatorClock, isVirtualClock, type VirtualClock } from '../clock.ts'

export interface ClockInfo {
  /** ISO 8601, UTC. */
  readonly now: string
  readonly mode: ClockMode
}

/** Moving answers when all that fell due has happened; it throws where the clock is not virtual. */
export interface ClockControl {
  get(): ClockInfo
  /**
   * @param duration milliseconds, or text such as `500ms`, `60s`, `5m`, `1h`, `1d`
   * @throws TypeError where it is no duration
   */
  advance(duration: number | string): Promise<ClockInfo>
  /**
   * @param instant ISO 8601, or epoch milliseconds
   * @throws TypeError where it is no instant
   */
  set(instant: number | string): Promise<ClockInfo>
}

export function createClockControl(clock: EmulatorClock): ClockControl {
  const get = () => ({ now: new Date(clock.now()).toISOString(), mode: clock.mode })
  return {
    get,
    async advance(duration) {
      await movable(clock).advance(typeof duration === 'number' ? duration : parseDuration(duration))
      return get()
    },
    async set(instant) {
      await movable(clock).set(typeof instant === 'number' ? instant : parseInstant(instant))
      return get()
    },
  }
}

function movable(clock: EmulatorClock): VirtualClock {
  if (isVirtualClock(clock)) return clock
  throw new Error("This clock is the system's and cannot be moved: create the emulator with clock 'virtual'")
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A number without a unit is seconds, in text as everywhere on the command line. */
function parseDuration(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim()) ?? []
  const ms = Number(number) * (unitMs[unit] ?? Number.NaN)
  if (Number.isFinite(ms)) return ms
  throw new TypeError(`${JSON.stringify(text)} is no duration: write 500ms, 60s, 5m, 1h or 1d`)
}

function parseInstant(text: string): number {
  const epochMs = Date.parse(text)
  if (Number.isFinite(epochMs)) return epochMs
  throw new TypeError(`${JSON.stringify(text)} is no instant: write it as 2026-01-15T12:00:00Z`)
}
