import { OutOfRangeError } from '../checks/coded-error.ts'
import { endpoints } from '../protocol/endpoints.ts'
import { type QuotaLimits, type WindowName, windowLengthMs } from '../protocol/rate-limits.ts'
import type { Later } from './ledger.ts'
import { neverFitsText } from './pacer.ts'
import type { QuotaModel } from './quota-model/quota-model.ts'
import type { RateReport } from './rate-headers.ts'
import type { QuotaRow } from './shared/quota-row.ts'
import { stateOf } from './shared/shared-ledger.ts'

export interface ForecastOptions {
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
 * When quotas and the link let uploads start and end: of a plan, and of what is left of a run. The model that paces the run
 * decides in simulated time, with what the service has shown so far and without other users; all uploads share the link
 * evenly. Sends no request.
 *
 * @param sizes what each has to send, in bytes
 * @throws RangeError where a limit is below the cost of one
 */
export function forecastUploads(sizes: readonly number[], options: ForecastOptions): UploadForecast {
  const { limits = {}, rows = [] } = options
  const { model, inFlight } = stateOf(rows, { limits })
  const reason = model.neverFits(cost)
  if (reason !== undefined && sizes.length > 0) throw new OutOfRangeError(neverFitsText(reason, 'an upload'))
  const simulation = new Simulation(model, [...inFlight.keys()], options)
  for (const bytes of sizes) simulation.upload(bytes)
  return simulation.end()
}

const { cost } = endpoints.upload
/** A longer wait begins a new part. */
const LONG_WAIT_MS = 90_000
/** How long one upload takes without the time on the network. */
const UPLOAD_MS = 1_000

/** A request under way in the simulation. */
interface Sending {
  readonly id: string
  bytesLeft: number
  /** Not answered before, in epoch milliseconds. */
  readonly notBefore: number
  /** To which its end belongs. */
  readonly part?: GrowingPart
}

type GrowingPart = { -readonly [Key in keyof ForecastPart]: ForecastPart[Key] }

class Simulation {
  readonly #model: QuotaModel
  readonly #options: ForecastOptions
  readonly #parts: GrowingPart[] = []
  #sending: Sending[] = []
  #time: number
  #count = 0

  /** @param inFlight the names of requests that the model counts, those of this run first */
  constructor(model: QuotaModel, inFlight: readonly string[], options: ForecastOptions) {
    const { now, underWay = [] } = options
    this.#model = model
    this.#options = options
    this.#time = now
    // A request that the ledger does not count has an id that the model does not know.
    for (const [place, bytes] of underWay.entries()) this.#send(bytes, now, inFlight[place] ?? `sent-${place}`)
    for (const id of inFlight.slice(underWay.length)) this.#answer(id)
  }

  /** The next upload, once it may start. */
  upload(bytes: number): void {
    const { leastMs = UPLOAD_MS } = this.#options
    const since = this.#time
    const held = this.#waitUntilAllowed()
    const part = this.#partOf(this.#time - since, held)
    const id = `plan-${this.#count}`
    this.#count += 1
    this.#model.apply({ type: 'reserve', id, at: this.#time, cost })
    this.#send(bytes, this.#time + leastMs, id, part)
  }

  end(): UploadForecast {
    while (this.#sending.length > 0) this.#pass()
    return { parts: this.#parts, endsAt: this.#time }
  }

  #send(bytes: number, notBefore: number, id: string, part?: GrowingPart): void {
    const bytesLeft = this.#options.bytesPerSecond === undefined ? 0 : bytes
    this.#sending.push({ id, bytesLeft, notBefore, ...(part && { part }) })
  }

  /** Moves the time on to the next end of bytes or of an upload, at most to `until`. */
  #pass(until = Number.POSITIVE_INFINITY): void {
    const moving = this.#sending.filter(({ bytesLeft }) => bytesLeft > 0)
    const msPerByte = (moving.length * 1_000) / (this.#options.bytesPerSecond ?? 1)
    // When its bytes are sent, or when it is answered if they are.
    const endOf = ({ bytesLeft, notBefore }: Sending) =>
      bytesLeft > 0 ? this.#time + bytesLeft * msPerByte : Math.max(this.#time, notBefore)
    const at = Math.max(Math.min(until, ...this.#sending.map(endOf)), this.#time)
    const sent = (at - this.#time) / msPerByte
    // The last bytes may take less time than two instants differ by.
    for (const one of moving) one.bytesLeft = endOf(one) <= at ? 0 : Math.max(one.bytesLeft - sent, 0)
    this.#time = at
    const isEnded = ({ bytesLeft, notBefore }: Sending) => bytesLeft === 0 && notBefore <= at
    const ended = this.#sending.filter(isEnded)
    this.#sending = this.#sending.filter((one) => !isEnded(one))
    for (const { id, part } of ended) {
      this.#answer(id)
      if (part) part.endsAt = at
    }
  }

  #answer(id: string): void {
    const at = this.#time
    this.#model.apply({ type: 'settle', id, outcome: { type: 'answered', at, status: 201, report: this.#report(at) } })
  }

  /** Answers rule out no kind of window, so that a forecast is rather too long. A service that was never asked is taken for a log. */
  #report(at: number): RateReport {
    const serverNow = Math.floor(at / 1_000) * 1_000
    const minute = this.#options.rows?.length ? undefined : this.#model.windows(at).minute
    if (minute === undefined || minute.limit === null) return { serverNow }
    return { serverNow, limit: minute.limit, remaining: minute.limit - minute.used }
  }

  /** @returns the longest wait; undefined where there was none */
  #waitUntilAllowed(): Later | undefined {
    const { jobs = 2 } = this.#options
    let longest: Later | undefined
    while (this.#sending.length >= jobs) this.#pass()
    for (;;) {
      const verdict = this.#model.verdict(cost, this.#time)
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

const lengthOf = (name: WindowName | null) => (name === null ? 0 : windowLengthMs[name])
