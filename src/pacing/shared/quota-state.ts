import { windowLengthMs } from '../../protocol/rate-limits.ts'
import type { RowForm } from '../../store/quota-store.ts'
import type { Verdict } from '../ledger.ts'
import type { PacingOutcome } from '../pacer.ts'
import { marginMs } from '../quota-model/charges.ts'
import { type QuotaModel, quotaMemoryMs } from '../quota-model/quota-model.ts'
import { type ChargeRow, type PlaceRow, parseRow, type QuotaRow, type ReserveRow } from './quota-row.ts'

/** Tolerates systems that report the time since their start in whole seconds. */
const SET_MS = 1_500
/** The minute, which is the longest of the short windows. */
export const REST_MS = windowLengthMs.minute + marginMs(windowLengthMs.minute)
/**
 * A place whose room has come is passed over after this time for each place up to it, because its process may have been
 * stopped: those further behind look less often whether they have room.
 */
const PASSED_OVER_MS = 2_000

/** A request that waits for room. */
interface Waiting {
  readonly row: PlaceRow
  /** Since when it was seen to have room. */
  roomSince?: number
  /** Whether its process did not come: others go first until it tries, or takes its place again. */
  isPassed?: boolean
  /** Whether a request behind it was tried since it was taken. */
  isOvertaken?: boolean
}

/**
 * What the rows of a key's quota add up to. Requests of all processes that wait for room stand in the order of their rows.
 * Those behind a place count its units as used, so that each is sent in its turn, and one that fits beside all before it need
 * not wait for them. Places decide only who tries; the order of reservations decides who is sent.
 */
export class QuotaState {
  readonly #createModel: () => QuotaModel
  readonly #inFlight = new Map<string, ReserveRow>()
  readonly #places = new Map<string, Waiting>()
  #model: QuotaModel
  /** How far the clock is ahead of the machine's monotonic time. */
  #aheadMs: number | undefined
  /** Until then the short windows may be full of what is not among the rows. */
  #restsUntil = Number.NEGATIVE_INFINITY

  constructor(createModel: () => QuotaModel, rows: readonly QuotaRow[] = []) {
    this.#createModel = createModel
    this.#model = createModel()
    for (const row of rows) this.apply(row)
  }

  /** Requests that have not ended, by their ids. */
  get inFlight(): ReadonlyMap<string, ReserveRow> {
    return this.#inFlight
  }

  get model(): QuotaModel {
    return this.#model
  }

  /** Requests that wait for room, in their order. */
  get waiting(): readonly PlaceRow[] {
    return [...this.#places.values()].map(({ row }) => row)
  }

  /** Whether a place counts: not where a request that asked later was tried before the one of this place. */
  isKept(place: string): boolean {
    const waiting = this.#places.get(place)
    return waiting !== undefined && !waiting.isOvertaken
  }

  /** How many requests wait before a place. @param place undefined for the end of the queue */
  ahead(place: string | undefined): number {
    return this.#before(place).length
  }

  /** Whether a request may be tried now, behind all that wait before it. @param place undefined for the end of the queue */
  verdict(cost: number, now: number, place: string | undefined): Verdict {
    const isLimited = () => Object.values(this.#model.windows(now)).some(({ limit }) => limit !== null)
    if (now < this.#restsUntil && isLimited())
      return { type: 'later', at: this.#restsUntil, window: 'minute', source: 'ledger' }
    const { ahead, lookAt } = this.#queueBefore(place, now)
    const verdict = this.#model.verdict(cost, now, ahead)
    if (verdict.type === 'now' || ahead.length === 0) return verdict
    const alone = this.#model.verdict(cost, now)
    return { ...verdict, lookAt, soonest: { at: alone.type === 'now' ? now : alone.at } }
  }

  apply(row: QuotaRow): void {
    switch (row.type) {
      case 'place':
        // It keeps its rank where it is taken again, and counts again.
        this.#places.set(row.id, { row })
        break
      case 'reserve':
        this.#reserve(row)
        break
      case 'settle':
      case 'cancel':
        this.#end(row)
        break
      case 'charge':
        this.#model.apply(row)
        break
      case 'forget':
        this.#model = this.#createModel()
        for (const { type, id, at, cost } of this.#inFlight.values()) this.#model.apply({ type, id, at, cost })
        break
      case 'lost':
        this.#restsUntil = row.at + REST_MS
    }
  }

  #reserve(row: ReserveRow): void {
    for (const waiting of this.#before(row.place)) waiting.isOvertaken = true
    // Its process is at work, so it counts again.
    const own = this.#places.get(row.place ?? '')
    if (own) this.#places.set(own.row.id, { row: own.row })
    this.#inFlight.set(row.id, row)
    const { type, id, at, cost } = row
    this.#model.apply({ type, id, at, cost, afterSetting: this.#isAfterSetting(row) })
  }

  /** Only the first ending counts: the run itself and one that believed it over may both add one. */
  #end(row: QuotaRow & { readonly type: 'settle' | 'cancel' }): void {
    const request = this.#inFlight.get(row.id)
    // A cancelled reservation leaves its place waiting.
    if (row.type === 'settle') this.#places.delete(request?.place ?? '')
    else if (request === undefined) this.#places.delete(row.id)
    if (this.#inFlight.delete(row.id)) this.#model.apply(row)
  }

  /** Those before a place; all of them without one. */
  #before(place: string | undefined): readonly Waiting[] {
    const served = new Set([...this.#inFlight.values()].map((row) => row.place))
    const all = [...this.#places.values()]
    const end = all.findIndex(({ row }) => row.id === place)
    return all.slice(0, end < 0 ? all.length : end).filter(({ row }) => !served.has(row.id))
  }

  /** What counts before a place, and when others may pass one of these. */
  #queueBefore(place: string | undefined, now: number) {
    const ahead: number[] = []
    let lookAt: number | undefined
    for (const waiting of this.#before(place)) {
      const { cost } = waiting.row
      const passedBy = this.#model.neverFits(cost) ? now : this.#passedAt(waiting, now, ahead)
      if (passedBy !== undefined && passedBy <= now) continue
      if (passedBy !== undefined) lookAt = Math.min(lookAt ?? passedBy, passedBy)
      ahead.push(cost)
    }
    return { ahead, lookAt }
  }

  /** When others may pass a place; undefined while that is not known. */
  #passedAt(waiting: Waiting, now: number, ahead: readonly number[]): number | undefined {
    if (waiting.isPassed) return now
    const patienceMs = PASSED_OVER_MS * (ahead.length + 1)
    const verdict = this.#model.verdict(waiting.row.cost, now, ahead)
    if (verdict.type === 'later') {
      delete waiting.roomSince
      return ahead.length === 0 && verdict.at !== undefined ? verdict.at + patienceMs : undefined
    }
    waiting.roomSince = Math.min(waiting.roomSince ?? now, now)
    waiting.isPassed = waiting.roomSince + patienceMs <= now
    return waiting.roomSince + patienceMs
  }

  /** Whether the machine's clock was set since the previous request. */
  #isAfterSetting({ at, monotonic }: ReserveRow): boolean {
    if (monotonic === undefined) return false
    const before = this.#aheadMs
    this.#aheadMs = at - monotonic
    return before !== undefined && Math.abs(this.#aheadMs - before) > SET_MS
  }
}

const MERGED_MS = 60_000
/** The newest requests are kept as they are: the shorter windows count single ones, and they tell what the service has shown. */
const NEWEST = 256

/** The rows of a quota. */
export const rowForm: RowForm<QuotaRow> = { format: JSON.stringify, parse: parseRow, compact: compactRows }

/**
 * The rows that still matter for a key's quota. Old requests become one charge of their minute, dated by its last answer, so
 * that their units count in full and long enough.
 */
export function compactRows(all: readonly QuotaRow[], now: number): readonly QuotaRow[] {
  const rows = notForgotten(all)
  const ends = firstEnds(rows)
  const settled = rows.flatMap((request): readonly Settled[] => {
    const end = request.type === 'reserve' && ends.get(request.id)
    return end && end.type === 'settle' ? [{ request, outcome: end.outcome }] : []
  })
  const charged = settled.filter(({ outcome }) => outcome.type !== 'not-sent' && now - outcome.at <= quotaMemoryMs)
  // The model learns more from a refusal than its cost.
  const isRefusal = ({ outcome }: Settled) => outcome.type === 'answered' && [429, 503].includes(outcome.status)
  const whole = new Set([...charged.filter(isRefusal), ...charged.slice(-NEWEST)])
  const kept = new Set([...whole].map(({ request }) => request.id))
  const served = new Set(settled.map(({ request }) => request.place))
  const isLeft = (row: QuotaRow) => {
    if (row.type === 'place') return !ends.has(row.id) && !served.has(row.id)
    if (row.type === 'reserve') return !ends.has(row.id) || kept.has(row.id)
    if (row.type === 'settle') return kept.has(row.id) && ends.get(row.id) === row
    return row.type === 'lost' && now - row.at < REST_MS
  }
  const merged = charged.filter((one) => !whole.has(one)).map((one) => chargeOf(one, now))
  const before = rows.filter((row) => row.type === 'charge' && now - row.at <= quotaMemoryMs) as readonly ChargeRow[]
  return [...byMinute([...before, ...merged]), ...rows.filter(isLeft)]
}

/** A request, and how it ended. */
interface Settled {
  readonly request: ReserveRow
  readonly outcome: PacingOutcome
}

function chargeOf({ request, outcome }: Settled, now: number): ChargeRow {
  const charged = outcome.type === 'answered' && outcome.status < 300 ? outcome.report.cost : undefined
  // A clock that was set back leaves nothing in the future.
  const at = outcome.type === 'not-sent' ? now : Math.min(outcome.at, now)
  return { type: 'charge', at, cost: charged || request.cost }
}

function byMinute(charges: readonly ChargeRow[]): readonly ChargeRow[] {
  const minutes = new Map<number, ChargeRow>()
  for (const { type, at, cost } of charges) {
    const minute = Math.floor(at / MERGED_MS)
    const before = minutes.get(minute)
    minutes.set(minute, { type, at: Math.max(before?.at ?? at, at), cost: (before?.cost ?? 0) + cost })
  }
  return [...minutes.values()]
}

/** The rows after the last `forget`, and the requests that were under way at it. */
function notForgotten(rows: readonly QuotaRow[]): readonly QuotaRow[] {
  const index = rows.findLastIndex(({ type }) => type === 'forget')
  return index < 0 ? rows : [...requestsUnderWay(rows.slice(0, index)), ...rows.slice(index + 1)]
}

/** The requests that have not ended. */
function requestsUnderWay(rows: readonly QuotaRow[]): readonly ReserveRow[] {
  const ended = firstEnds(rows)
  return rows.filter((row) => row.type === 'reserve' && !ended.has(row.id)) as readonly ReserveRow[]
}

/** The first end of each request: its run and a process that believed the run gone may both write one. */
function firstEnds(rows: readonly QuotaRow[]): ReadonlyMap<string, QuotaRow> {
  const ends = rows.filter((row) => row.type === 'settle' || row.type === 'cancel')
  return new Map(ends.toReversed().map((row) => [row.id, row]))
}
