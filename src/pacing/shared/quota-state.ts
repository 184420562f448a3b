import { windowLengthMs } from '../../protocol/rate-limits.ts'
import type { RowForm } from '../../store/quota-store.ts'
import type { Verdict } from '../ledger.ts'
import { marginMs } from '../quota-model/charges.ts'
import { type QuotaModel, quotaMemoryMs } from '../quota-model/quota-model.ts'
import { type ChargeRow, type PlaceRow, parseRow, type QuotaRow, type ReserveRow, type SettleRow } from './quota-row.ts'

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
  /** Requests that have not ended, by their ids. */
  readonly inFlight = new Map<string, ReserveRow>()
  model: QuotaModel
  readonly #createModel: () => QuotaModel
  readonly #places = new Map<string, Waiting>()
  /** Until then the short windows may be full of what is not among the rows. */
  #restsUntil = Number.NEGATIVE_INFINITY

  constructor(createModel: () => QuotaModel, rows: readonly QuotaRow[] = []) {
    this.#createModel = createModel
    this.model = createModel()
    for (const row of rows) this.apply(row)
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
    const isLimited = () => Object.values(this.model.windows(now)).some(({ limit }) => limit !== null)
    if (now < this.#restsUntil && isLimited())
      return { type: 'later', at: this.#restsUntil, window: 'minute', source: 'ledger' }
    const { ahead, lookAt } = this.#queueBefore(place, now)
    const verdict = this.model.verdict(cost, now, ahead)
    if (verdict.type === 'now' || ahead.length === 0) return verdict
    const alone = this.model.verdict(cost, now)
    return { ...verdict, lookAt, soonest: { at: alone.type === 'now' ? now : alone.at } }
  }

  apply(row: QuotaRow): void {
    switch (row.type) {
      case 'place':
        // It keeps its rank where it is taken again, and counts again.
        this.#places.set(row.id, { row })
        break
      case 'reserve':
        for (const waiting of this.#before(row.id)) waiting.isOvertaken = true
        this.#places.delete(row.id)
        this.inFlight.set(row.id, row)
        this.model.apply(row)
        break
      case 'settle':
      case 'cancel':
        this.#places.delete(row.id)
        // Only the first end counts: the run itself and one that believed it over may both add one.
        if (this.inFlight.delete(row.id)) this.model.apply(row)
        break
      case 'charge':
        this.model.apply(row)
        break
      case 'forget':
        this.model = this.#createModel()
        for (const request of this.inFlight.values()) this.model.apply(request)
        break
      case 'lost':
        this.#restsUntil = row.at + REST_MS
    }
  }

  /** Those before a place; all of them without one. */
  #before(place: string | undefined): readonly Waiting[] {
    const all = [...this.#places.values()]
    const end = all.findIndex(({ row }) => row.id === place)
    return all.slice(0, end < 0 ? all.length : end)
  }

  /** What counts before a place, and when others may pass one of these. */
  #queueBefore(place: string | undefined, now: number) {
    const ahead: number[] = []
    let lookAt = Number.POSITIVE_INFINITY
    for (const waiting of this.#before(place)) {
      const passedBy = this.#passedAt(waiting, now, ahead)
      if (passedBy <= now) continue
      lookAt = Math.min(lookAt, passedBy)
      ahead.push(waiting.row.cost)
    }
    return { ahead, lookAt }
  }

  /** When others may pass a place; infinite while that is not known. */
  #passedAt(waiting: Waiting, now: number, ahead: readonly number[]): number {
    if (waiting.isPassed || this.model.neverFits(waiting.row.cost)) return now
    const patienceMs = PASSED_OVER_MS * (ahead.length + 1)
    const verdict = this.model.verdict(waiting.row.cost, now, ahead)
    if (verdict.type === 'later') {
      delete waiting.roomSince
      return ahead.length === 0 ? (verdict.at ?? Number.POSITIVE_INFINITY) + patienceMs : Number.POSITIVE_INFINITY
    }
    waiting.roomSince = Math.min(waiting.roomSince ?? now, now)
    waiting.isPassed = waiting.roomSince + patienceMs <= now
    return waiting.roomSince + patienceMs
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
export function compactRows(rows: readonly QuotaRow[], now: number): readonly QuotaRow[] {
  const { open, settled, charges } = endsOf(rows)
  const isRecent = ({ at }: { readonly at: number }) => now - at <= quotaMemoryMs
  const charged = settled.filter(({ end: { outcome } }) => outcome.type !== 'not-sent' && isRecent(outcome))
  const isRefusal = ({ outcome }: SettleRow) => outcome.type === 'answered' && [429, 503].includes(outcome.status)
  // The model learns more from a refusal than its cost.
  const isWhole = ({ end }: Settled, index: number) => isRefusal(end) || index >= charged.length - NEWEST
  const whole = charged.filter(isWhole)
  const merged = charged.filter((one, index) => !isWhole(one, index)).map((one) => chargeOf(one, now))
  const kept = new Set<QuotaRow>([...open, ...whole.flatMap(({ request, end }) => [request, end])])
  const isLeft = (row: QuotaRow) => kept.has(row) || (row.type === 'lost' && now - row.at < REST_MS)
  // A place keeps its rank, and has the cost that it was last given.
  const places = new Map(rows.flatMap((row) => (row.type === 'place' ? [[row.id, row] as const] : [])))
  const asItIs = (row: QuotaRow) => (row.type === 'place' ? (places.get(row.id) ?? row) : row)
  return [...byMinute([...charges.filter(isRecent), ...merged]), ...rows.filter(isLeft).map(asItIs)]
}

/** A request, and how it ended. */
interface Settled {
  readonly request: ReserveRow
  readonly end: SettleRow
}

/** What is open, and what has ended since all was forgotten. */
function endsOf(rows: readonly QuotaRow[]) {
  const open = new Map<string, PlaceRow | ReserveRow>()
  let settled: Settled[] = []
  let charges: ChargeRow[] = []
  const end = (row: SettleRow) => {
    const request = open.get(row.id)
    if (request?.type === 'reserve') settled.push({ request, end: row })
  }
  for (const row of rows) {
    if (row.type === 'settle') end(row)
    if (row.type === 'settle' || row.type === 'cancel') open.delete(row.id)
    else if (row.type === 'reserve' || (row.type === 'place' && !open.has(row.id))) open.set(row.id, row)
    else if (row.type === 'charge') charges.push(row)
    else if (row.type === 'forget') [settled, charges] = [[], []]
  }
  return { open: open.values(), settled, charges }
}

function chargeOf({ request, end: { outcome } }: Settled, now: number): ChargeRow {
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
