import { OutOfRangeError } from '../checks/coded-error.ts'
import { endpoints } from '../protocol/endpoints.ts'
import { type QuotaLimits, type WindowKind, type WindowName, windowLengthMs } from '../protocol/rate-limits.ts'
import type { Later, SeenMinute, SeenRequest } from './ledger.ts'
import { neverFitsText } from './pacer.ts'
import type { QuotaModel } from './quota-model/quota-model.ts'
import type { RateReport } from './rate-headers.ts'
import type { QuotaRow } from './shared/quota-row.ts'
import type { QuotaState } from './shared/quota-state.ts'
import { stateOf } from './shared/shared-ledger.ts'

export interface ForecastOptions {
  /** What is planned. Default: uploads. */
  readonly of?: 'upload' | 'delete'
  /** Epoch milliseconds at which the first one may start. */
  readonly now: number
  /** Default of each: the spec's (spec 8). */
  readonly limits?: Partial<QuotaLimits>
  /** What is in use. Default: nothing. */
  readonly rows?: readonly QuotaRow[]
  /** The most under way at a time. Default: 2. */
  readonly jobs?: number | undefined
  /** What each upload that is under way already has still to send, in bytes. Default: none is under way. */
  readonly underWay?: readonly number[]
  /** Of all uploads together. Default: bytes take no time. */
  readonly bytesPerSecond?: number | undefined
  /** The least that one takes, in milliseconds. Default: 1,000. */
  readonly leastMs?: number
}

/** When a batch is done. Times are epoch milliseconds. */
export interface UploadForecast {
  readonly parts: readonly ForecastPart[]
  /** When everything is done, what is under way too. */
  readonly endsAt: number
}

/** Uploads that follow one another without a long wait. */
export interface ForecastPart {
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
export function isPaced({ waitsFor, pacedBy }: Pick<ForecastPart, 'waitsFor' | 'pacedBy'>): boolean {
  return waitsFor !== null || pacedBy !== null
}

/**
 * When quotas and the link let uploads, or deletions, start and end: of a plan, and of what is left of a run. The model that
 * paces the run decides in simulated time. The service is the likeliest one, without other users; all uploads share the link
 * evenly. Sends no request.
 *
 * @param sizes what each has to send, in bytes
 * @throws RangeError where a limit is below the cost of one
 */
export function forecastUploads(sizes: readonly number[], options: ForecastOptions): UploadForecast {
  const { of = 'upload', limits = {}, rows = [] } = options
  const state = stateOf(rows, { limits })
  const { cost } = endpoints[of]
  const reason = state.model.neverFits(cost)
  if (reason !== undefined && sizes.length > 0) throw new OutOfRangeError(neverFitsText(reason, names[of]))
  const simulation = new Simulation(state, cost, options)
  for (const bytes of sizes) simulation.upload(bytes)
  return simulation.end()
}

const names = { upload: 'an upload', delete: 'a deletion' } as const

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
  /** Whether another process has sent it. */
  readonly isForeign?: boolean
  /** To which its end belongs. */
  readonly part?: GrowingPart
}

type GrowingPart = { -readonly [Key in keyof ForecastPart]: ForecastPart[Key] }

class Simulation {
  readonly #model: QuotaModel
  /** Of each upload, in units. */
  readonly #cost: number
  readonly #options: ForecastOptions
  readonly #service: ReturnType<typeof createSimulatedMinute>
  readonly #parts: GrowingPart[] = []
  #sending: readonly Sending[] = []
  #time: number
  #endsAt: number
  #count = 0

  constructor({ model, inFlight: all }: QuotaState, cost: number, options: ForecastOptions) {
    const { now, underWay = [] } = options
    const inFlight = [...all.values()]
    this.#model = model
    this.#cost = cost
    this.#options = options
    this.#service = createSimulatedMinute(model.minute(now), model.windows(now).minute?.limit ?? null)
    this.#time = now
    this.#endsAt = now
    for (const [place, bytes] of underWay.entries()) {
      // A request that the ledger does not count has an id that the model does not know.
      const id = inFlight[place]?.id ?? `under way ${place}`
      this.#send(bytes, { id, report: { cost }, notBefore: now })
    }
    for (const { id, cost: units } of inFlight.slice(underWay.length)) {
      this.#send(0, { id, report: { cost: units }, notBefore: now + UPLOAD_MS, isForeign: true })
    }
  }

  /** The next upload, once it may start. */
  upload(bytes: number): void {
    const { leastMs = UPLOAD_MS } = this.#options
    const cost = this.#cost
    const since = this.#time
    const held = this.#waitUntilAllowed()
    const part = this.#partOf(this.#time - since, held)
    const id = `plan-${this.#count}`
    this.#count += 1
    this.#model.apply({ type: 'reserve', id, at: this.#time, cost })
    this.#send(bytes, { id, report: this.#service.charge(this.#time, cost), notBefore: this.#time + leastMs, part })
  }

  end(): UploadForecast {
    while (this.#sending.some(isOwn)) this.#pass()
    return { parts: this.#parts, endsAt: this.#endsAt }
  }

  #send(bytes: number, rest: Omit<Sending, 'bytesLeft'>): void {
    const bytesLeft = this.#options.bytesPerSecond === undefined ? 0 : bytes
    this.#sending = [...this.#sending, { ...rest, bytesLeft }]
  }

  /** Moves the time on to the next end of bytes or of an upload, at most to `until`. */
  #pass(until = Number.POSITIVE_INFINITY): void {
    const moving = this.#sending.filter(({ bytesLeft }) => bytesLeft > 0)
    const msPerByte = (moving.length * 1_000) / (this.#options.bytesPerSecond ?? 1)
    // When its bytes are sent, or when it is answered if they are.
    const endOf = ({ bytesLeft, notBefore }: Sending) =>
      bytesLeft > 0 ? this.#time + bytesLeft * msPerByte : Math.max(this.#time, notBefore)
    const next = Math.min(until, ...this.#sending.map(endOf))
    const sent = (next - this.#time) / msPerByte
    // The last bytes may take less time than two instants differ by.
    for (const one of moving) one.bytesLeft = endOf(one) <= next ? 0 : Math.max(one.bytesLeft - sent, 0)
    const at = Math.max(next, this.#time)
    this.#time = at
    const isEnded = ({ bytesLeft, notBefore }: Sending) => bytesLeft === 0 && notBefore <= at
    const ended = this.#sending.filter(isEnded)
    this.#sending = this.#sending.filter((one) => !isEnded(one))
    for (const one of ended) {
      const report = { ...one.report, serverNow: this.#service.dateAt(at) }
      this.#model.apply({ type: 'settle', id: one.id, outcome: { type: 'answered', at, status: 201, report } })
      if (isOwn(one)) this.#endsAt = at
      if (one.part) one.part.endsAt = at
    }
  }

  /** @returns the longest wait; undefined where there was none */
  #waitUntilAllowed(): Later | undefined {
    const { jobs = 2 } = this.#options
    let longest: Later | undefined
    while (this.#sending.filter(isOwn).length >= jobs) this.#pass()
    for (;;) {
      const verdict = this.#model.verdict(this.#cost, this.#time)
      if (verdict.type === 'now') return longest
      const { at } = verdict
      if (at === undefined && this.#sending.length === 0) return longest
      if ((at ?? this.#time) > (longest?.at ?? this.#time)) longest = verdict
      this.#pass(at === undefined ? at : Math.max(at, this.#time + 1))
    }
  }

  /** The part to which the next upload belongs: the last one, or a new one after a long wait. */
  #partOf(waitedMs: number, held: Later | undefined): GrowingPart {
    const window = waitedMs > 0 ? (held?.window ?? null) : null
    const last = this.#parts.at(-1)
    if (last === undefined || waitedMs > LONG_WAIT_MS) {
      const waitsFor = waitedMs > 0 && held?.source === 'unavailable' ? 'service' : window
      const [startsAt, endsAt] = [this.#time, this.#time]
      const part: GrowingPart = { first: this.#count, count: 1, startsAt, endsAt, waitsFor, pacedBy: null }
      this.#parts.push(part)
      return part
    }
    last.count += 1
    last.pacedBy = lengthOf(last.pacedBy) >= lengthOf(window) ? last.pacedBy : window
    return last
  }
}

const isOwn = ({ isForeign = false }: Sending) => !isForeign
const lengthOf = (name: WindowName | null) => (name === null ? 0 : windowLengthMs[name])

/** Times are epoch milliseconds by the service's clock. */
interface Charge {
  readonly at: number
  readonly units: number
}

/** A minute at one instant. */
interface Count {
  /** The charges that count still, or will. */
  readonly kept: readonly Charge[]
  /** The part of their units that counts no longer. */
  readonly faded?: number
  /** When none of them will count. */
  readonly emptyAt: number
}

const LENGTH_MS = windowLengthMs.minute

const totalOf = (charges: readonly Charge[]) => charges.reduce((sum, { units }) => sum + units, 0)
const since = (charges: readonly Charge[], instant: number) => charges.filter(({ at }) => at >= instant)
const beginOf = (at: number) => at - (at % LENGTH_MS)

/** How a service counts its minute. */
const counts: Readonly<Record<WindowKind, (charges: readonly Charge[], at: number, limit: number) => Count>> = {
  sliding: (charges, at) => ({
    kept: since(charges, at - LENGTH_MS + 1),
    emptyAt: (charges.at(-1)?.at ?? at) + LENGTH_MS,
  }),
  fixed(charges, at) {
    const emptyAt = (charges[0]?.at ?? at) + LENGTH_MS
    return { kept: at < emptyAt ? charges : [], emptyAt }
  },
  aligned: (charges, at) => ({ kept: since(charges, beginOf(at)), emptyAt: beginOf(at) + LENGTH_MS }),
  sliding_counter(charges, at) {
    const begin = beginOf(at)
    const kept = since(charges, begin - LENGTH_MS)
    const before = totalOf(kept) - totalOf(since(kept, begin))
    return { kept, faded: (before * (at - begin)) / LENGTH_MS, emptyAt: begin + 2 * LENGTH_MS }
  },
  token_bucket(charges, at, limit) {
    const regained = (units: number, ms: number) => Math.max(units - (ms * limit) / LENGTH_MS, 0)
    const missing = (since: Charge, { at, units }: Charge) => ({
      at,
      units: regained(since.units, at - since.at) + units,
    })
    const { units } = [...charges, { at, units: 0 }].reduce(missing)
    return { kept: [{ at, units }], emptyAt: at + (units * LENGTH_MS) / limit }
  },
}

/** Where answers fit several kinds, the first of them is expected: a log takes longest of those that cannot be told apart. */
const likeliestFirst: readonly WindowKind[] = ['sliding', 'fixed', 'aligned', 'sliding_counter', 'token_bucket']

/** Requests are under way for a while before they are charged; Date and Reset have whole seconds. */
const TOLERATED_MS = 2_500

/** So many requests are replayed one by one. Of an account with high limits there are thousands: those close together are one. */
const MOST_REPLAYED = 500

function condensed(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  if (requests.length <= MOST_REPLAYED) return requests
  const all: SeenRequest[] = []
  for (const request of requests) {
    const before = all.at(-1)
    const isClose = before !== undefined && request.sentAt - before.sentAt < (2 * LENGTH_MS) / MOST_REPLAYED
    if (isClose) all.splice(-1, 1, { ...request, sentAt: before.sentAt, units: before.units + request.units })
    else all.push(request)
  }
  return all
}

/** What counts by one kind of window after all requests so far, and how many answers name another Reset. */
function replayed(kind: WindowKind, { requests, aheadMs }: SeenMinute, limit: number) {
  const count = counts[kind]
  let charges: readonly Charge[] = []
  let misfits = 0
  for (const { sentAt, units, used, resetAt } of requests) {
    const at = sentAt + aheadMs
    charges = [...count(charges, at, limit).kept, { at, units }]
    if (used === undefined || resetAt === undefined) continue
    if (Math.abs(count(charges, at, limit).emptyAt - resetAt) > TOLERATED_MS) misfits += 1
    // Requests from before the first of these may count too.
    if (kind === 'fixed') charges = [{ at: resetAt - LENGTH_MS, units: used }]
    if (kind === 'token_bucket') charges = [{ at, units: used }]
  }
  return { count, charges, misfits }
}

/**
 * A service that counts its minute as the answers so far let expect: by the kind of window that they have not ruled out and
 * whose end they name most often. What Reset means is not specified (spec 8.2), so pacing must not rely on it like this.
 *
 * @param limit in units; null where the minute has none
 */
export function createSimulatedMinute(seen: SeenMinute, limit: number | null) {
  const kinds = likeliestFirst.filter(seen.mayBe)
  const requests = condensed(seen.requests)
  const replays = kinds.map((kind) => replayed(kind, { ...seen, requests }, limit ?? 1))
  const likeliest = replays.reduce((best, replay) => (replay.misfits < best.misfits ? replay : best))
  let { charges } = likeliest

  return {
    /** Charges a request. @returns what its answer shows but for its Date */
    charge(at: number, units: number): RateReport {
      if (limit === null) return { cost: units }
      const now = at + seen.aheadMs
      charges = [...likeliest.count(charges, now, limit).kept, { at: now, units }]
      const { kept, faded = 0, emptyAt: resetAt } = likeliest.count(charges, now, limit)
      return { cost: units, limit, remaining: Math.max(limit - Math.ceil(totalOf(kept) - faded), 0), resetAt }
    },
    /** The Date of an answer, in whole seconds. */
    dateAt: (at: number) => Math.floor((at + seen.aheadMs) / 1_000) * 1_000,
  }
}
