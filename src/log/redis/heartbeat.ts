import { type Clock, startIdleTimer, steadyMs } from '../../clock.ts'
import type { RedisLink, RedisScript } from './redis-link.ts'

/** What others leave to a runner as long as they hear of it. */
export interface OpenThings {
  /** How long the runner may be silent, in milliseconds; infinite while nothing is open. */
  silenceMs(): number
  /** Reads what these things are in; it never fails. Beats do that and the usual call in turns. */
  beat?(): Promise<void>
  /** This process slept so long that others may have taken the runner for gone. */
  slept?(): void
  /** Redis has answered. `isLoss`: it lost something; `wasSilent`: others may not have heard of the runner for long. */
  heard?(isLoss: boolean, wasSilent: boolean): void
}

/** While something is open. Others give a runner up after 30 s. */
export const HEARTBEAT_MS = 8_000
const TRY_AGAIN_MS = 2_000
/** A runner that was silent, or asleep, for longer has to ask what is still its own. */
const DOUBT_AFTER_MS = 20_000
/** After a loss nothing is claimed for so long, as sync.lua has it: runners first tell what they hold. */
export const SETTLING_MS = 5_000

/**
 * The calls of a runner, by which others hear of it, and one at intervals while something is open.
 * @param beat any call of the runner; it never fails
 */
export function createHeartbeat(clock: Clock, link: RedisLink, beat: () => Promise<void>) {
  const all: OpenThings[] = []
  let isKnown = false
  let isOver = false
  let epoch = ''
  let [heardAt, triedAt, awakeAt] = [0, 0, 0]
  /** The last answer that named the epoch: when it was asked for, and the fleet's time in it. */
  let known = { askedAt: Number.NEGATIVE_INFINITY, fleetTime: 0 }
  let [missedLosses, missedInSilence] = [0, 0]
  let beats = 0
  let stopTimer: (() => void) | undefined
  let unansweredSince: number | undefined

  const isSilent = (now: number) => now - heardAt > DOUBT_AFTER_MS

  function dueAt(): number {
    return Math.max(heardAt + Math.min(...all.map((things) => things.silenceMs())), triedAt + TRY_AGAIN_MS)
  }

  function look(): void {
    const sleptMs = steadyMs(clock) - awakeAt
    awakeAt += sleptMs
    if (stopTimer && sleptMs > DOUBT_AFTER_MS) for (const things of all) things.slept?.()
  }

  function arm(): void {
    look()
    stopTimer?.()
    const inMs = isOver ? Number.POSITIVE_INFINITY : dueAt() - steadyMs(clock)
    stopTimer = inMs === Number.POSITIVE_INFINITY ? undefined : startIdleTimer(clock, Math.max(inMs, 0), tick)
  }

  function tick(): void {
    const now = steadyMs(clock)
    if (dueAt() <= now) {
      triedAt = now
      const own = all.flatMap((things) => (things.silenceMs() === Number.POSITIVE_INFINITY ? [] : (things.beat ?? [])))
      const turns = [beat, ...own]
      beats += 1
      void turns[beats % turns.length]?.()
    }
    arm()
  }

  /** @returns whether Redis has lost something since the last answer */
  function takeEpoch(answer: readonly unknown[], askedAt: number): boolean {
    const [fleetTime, name, since] = [Number(answer[0]), String(answer[1]), Number(answer[2])]
    const isLoss = epoch !== '' && epoch !== name
    // A machine that sleeps may stop its monotonic time.
    const unheardMs = Math.max(steadyMs(clock) - known.askedAt, fleetTime - known.fleetTime)
    // Before this epoch there may have been another one, in which others could claim.
    const beforeMs = epoch === name ? 0 : unheardMs - (fleetTime - since)
    if (beforeMs > SETTLING_MS) missedLosses += 1
    if (beforeMs > DOUBT_AFTER_MS) missedInSilence += 1
    epoch = name
    known = { askedAt, fleetTime }
    return isLoss
  }

  // Redis may have been restarted: then all tell what they hold.
  link.onLost?.(() => {
    heardAt = 0
    arm()
  })
  return {
    async run(script: RedisScript, args: readonly string[]): Promise<unknown> {
      isKnown = true
      const sentAt = steadyMs(clock)
      const answer = await link.run(script, args).catch((error: unknown) => {
        unansweredSince ??= steadyMs(clock)
        throw error
      })
      unansweredSince = undefined
      const wasSilent = isSilent(sentAt)
      heardAt = Math.max(heardAt, sentAt)
      const isLoss = Array.isArray(answer) && takeEpoch(answer, sentAt)
      for (const things of all) things.heard?.(isLoss, wasSilent)
      return answer
    },
    watch: (things: OpenThings) => void all.push(things),
    /** Call after something was opened or closed. No timer is left while nothing is open. */
    arm,
    /** Notices at once that this process slept. */
    look,
    /**
     * How often Redis may have lost its memory twice while this runner did not hear of it: between the two others may have
     * claimed what this runner held, stored it and left, and the log shows no trace of them.
     */
    missedLosses: () => missedLosses,
    /** The same, where this runner was silent for so long that others may have taken it for gone, too. */
    missedInSilence: () => missedInSilence,
    /** Whether others may not have heard of the runner for long. */
    isSilent: () => isSilent(steadyMs(clock)),
    /** How long Redis has not answered, in milliseconds; 0 while it does. */
    unansweredMs: () => (unansweredSince === undefined ? 0 : steadyMs(clock) - unansweredSince),
    /** Whether Redis may know of this runner. */
    isKnown: () => isKnown,
    /** The runner is done, whatever is still open: it is no longer heard of, and opens no connection for it. */
    end() {
      isOver = true
      arm()
    },
  }
}

export type Heartbeat = ReturnType<typeof createHeartbeat>
