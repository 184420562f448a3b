import { endpoints } from '../protocol/endpoints.ts'
import { type WindowName, windowLengthMs } from '../protocol/rate-limits.ts'
import type { Later, QuotaModel } from './ledger.ts'
import type { RateReport } from './rate-headers.ts'
import { createSimulatedMinute } from './simulated-minute.ts'

/** How the uploads of a batch are sent. */
export interface Batch {
  /** The most uploads under way at a time. Default: 2. */
  readonly jobs?: number | undefined
  /** What each upload has to send, in bytes, by its index. Default: nothing. */
  readonly sizes?: readonly number[]
  /** What each upload that is under way already has still to send, in bytes. Default: none is under way. */
  readonly underWay?: readonly number[]
  /** Of all uploads together. Default: bytes take no time. */
  readonly bytesPerSecond?: number | undefined
  /** The least that one upload takes, in milliseconds. Default: 1,000. */
  readonly leastMs?: number
}

/** When a batch is done. Times are epoch milliseconds. */
export interface UploadForecast {
  readonly parts: readonly PlanPart[]
  /** When everything is done, what is under way too. */
  readonly endsAt: number
  /** When each upload is done that is under way already. */
  readonly underWayEndsAt: readonly number[]
}

export interface SimulationOptions extends Batch {
  /** How many uploads. */
  readonly count: number
  /** Of each, in units. Default: that of an upload. */
  readonly cost?: number
  /** Epoch milliseconds. */
  readonly now: number
  /** What is in use at the start. The simulation changes it. */
  readonly model: QuotaModel
  /** The requests that the model counts as under way. Default: none. */
  readonly inFlight?: readonly { readonly id: string; readonly cost: number }[]
}

/** Uploads that follow one another without a long wait. */
export interface PlanPart {
  /** Counted from 0. */
  readonly first: number
  readonly count: number
  /** Epoch milliseconds. */
  readonly startsAt: number
  readonly endsAt: number
  /** The window that delays its start; null where it starts at once. */
  readonly waitsFor: WindowName | 'service' | null
  /** The longest window that sets its pace; null where none does. */
  readonly pacedBy: WindowName | null
}

/** Whether a quota determines when a part ends; else its end would only be the assumed length of an upload. */
export function isPaced({ waitsFor, pacedBy }: Pick<PlanPart, 'waitsFor' | 'pacedBy'>): boolean {
  return waitsFor !== null || pacedBy !== null
}

/** A longer wait begins a new part. */
const LONG_WAIT_MS = 90_000
/** How long one upload takes without the time on the network. */
const UPLOAD_MS = 1_000

/** A request under way in the simulation. */
interface Sending {
  readonly id: string
  /** What its answer will say. */
  readonly report: RateReport
  bytesLeft: number
  /** Not answered before, in epoch milliseconds. */
  readonly notBefore: number
  /** Called with its end; absent for requests of other processes. */
  readonly onEnd?: (at: number) => unknown
}

/**
 * When each of many uploads may start and will end, by the quota model that later lets them start, against the likeliest
 * service without other users, through a link that all uploads share evenly. Sends nothing, does not wait.
 */
export function simulateUploads(options: SimulationOptions): UploadForecast {
  const { count, cost = endpoints.upload.cost, now, model, jobs = 2 } = options
  const { sizes = [], underWay = [], inFlight = [], bytesPerSecond, leastMs = UPLOAD_MS } = options
  const service = createSimulatedMinute(model.minute(now), model.windows(now).minute?.limit ?? null)
  const underWayEndsAt = underWay.map(() => now)
  const parts: GrowingPart[] = []
  let sending: Sending[] = []
  let time = now
  let endsAt = now

  function send(id: string, bytes: number, rest: Omit<Sending, 'id' | 'bytesLeft'>): void {
    sending.push({ id, bytesLeft: bytesPerSecond === undefined ? 0 : bytes, ...rest })
  }

  /** Moves the time on to the next end of bytes or of an upload, at most to `until`. */
  function pass(until = Number.POSITIVE_INFINITY): void {
    const moving = sending.filter(({ bytesLeft }) => bytesLeft > 0)
    const msPerByte = (moving.length * 1_000) / (bytesPerSecond ?? 1)
    // When its bytes are sent, or when it is answered if they are.
    const endOf = ({ bytesLeft, notBefore }: Sending) =>
      bytesLeft > 0 ? time + bytesLeft * msPerByte : Math.max(time, notBefore)
    const next = Math.min(until, ...sending.map(endOf))
    const sent = (next - time) / msPerByte
    // The last bytes may take less time than two instants differ by.
    for (const one of moving) one.bytesLeft = endOf(one) <= next ? 0 : Math.max(one.bytesLeft - sent, 0)
    time = Math.max(next, time)
    const ended = sending.filter(({ bytesLeft, notBefore }) => bytesLeft === 0 && notBefore <= time)
    sending = sending.filter((one) => !ended.includes(one))
    for (const { id, report: charged, onEnd } of ended) {
      const report = { ...charged, serverNow: service.dateAt(time) }
      model.apply({ type: 'settle', id, outcome: { type: 'answered', at: time, status: 201, report } })
      if (onEnd !== undefined) endsAt = time
      onEnd?.(time)
    }
  }

  /** @returns the longest wait; undefined where there was none */
  function waitUntilAllowed(): Later | undefined {
    let longest: Later | undefined
    while (sending.filter(({ onEnd }) => onEnd).length >= jobs) pass()
    for (let verdict = model.verdict(cost, time); verdict.type === 'later'; verdict = model.verdict(cost, time)) {
      const { at } = verdict
      if (at === undefined && sending.length === 0) return longest
      longest = longerOf(longest, verdict, time)
      pass(at === undefined ? at : Math.max(at, time + 1))
    }
    return longest
  }

  for (const [place, bytes] of underWay.entries()) {
    // A request that the ledger does not count has an id that the model does not know.
    const id = inFlight[place]?.id ?? `under way ${place}`
    send(id, bytes, { report: { cost }, notBefore: now, onEnd: (at) => underWayEndsAt.splice(place, 1, at) })
  }
  for (const { id, cost: units } of inFlight.slice(underWay.length)) {
    send(id, 0, { report: { cost: units }, notBefore: now + UPLOAD_MS })
  }
  for (let index = 0; index < count; index += 1) {
    const since = time
    const held = waitUntilAllowed()
    const id = `plan-${index}`
    model.apply({ type: 'reserve', id, at: time, cost })
    const report = service.charge(time, cost)
    const part = partOf(parts, index, time, time - since, held)
    const onEnd = (at: number) => {
      part.endsAt = at
    }
    send(id, sizes[index] ?? 0, { report, notBefore: time + leastMs, onEnd })
  }
  while (sending.some(({ onEnd }) => onEnd)) pass()
  return { parts, endsAt, underWayEndsAt }
}

const longerOf = (one: Later | undefined, other: Later, time: number) =>
  (other.at ?? time) > (one?.at ?? time) ? other : one

type GrowingPart = { -readonly [Key in keyof PlanPart]: PlanPart[Key] }

/** The part to which an upload belongs: the last one, or a new one after a long wait. */
function partOf(
  parts: GrowingPart[],
  index: number,
  startsAt: number,
  waitedMs: number,
  held: Later | undefined,
): GrowingPart {
  const window = waitedMs > 0 ? (held?.window ?? null) : null
  const last = parts.at(-1)
  if (last === undefined || waitedMs > LONG_WAIT_MS) {
    const waitsFor = waitedMs > 0 && held?.source === 'unavailable' ? 'service' : window
    const part: GrowingPart = { first: index, count: 1, startsAt, endsAt: startsAt, waitsFor, pacedBy: null }
    parts.push(part)
    return part
  }
  last.count += 1
  last.pacedBy = wider(last.pacedBy, window)
  return last
}

function wider(one: WindowName | null, other: WindowName | null): WindowName | null {
  const lengthOf = (name: WindowName | null) => (name === null ? 0 : windowLengthMs[name])
  return lengthOf(one) >= lengthOf(other) ? one : other
}
