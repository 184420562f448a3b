import type { RowForm } from '../../store/quota-store.ts'
import { quotaMemoryMs } from '../quota-model/quota-model.ts'
import { showsQuota } from '../quota-model/service-view.ts'
import { type ChargeRow, parseRow, type QuotaRow, type ReserveRow, type SettleRow } from './quota-row.ts'
import { REST_MS } from './quota-state.ts'

type Ending = QuotaRow & { readonly type: 'settle' | 'cancel' }

/** Younger requests are kept as they are, because the shorter windows count single ones. */
const WHOLE_MS = 2 * 3_600_000
const MERGED_MS = 60_000
/** The newest requests stay in any case: they tell the service's clock, and whether this machine's was set. */
const NEWEST = 32

/** The rows of a quota. */
export const rowForm: RowForm<QuotaRow> = { format: JSON.stringify, parse: parseRow, compact: compactRows }

/**
 * The rows that still matter for a key's quota. Old requests become one charge of their minute, dated by its last answer, so
 * that their units count in full and long enough. Where the account has shown no quota, younger ones do too: then thousands
 * may come in a minute.
 */
export function compactRows(all: readonly QuotaRow[], now: number): readonly QuotaRow[] {
  const rows = notForgotten(all)
  const endings = firstEndings(rows)
  const requests = rows.filter((row) => row.type === 'reserve')
  const kept = new Set(keptRequests(requests, endings, now).map(({ id }) => id))
  const charges = rows.flatMap((row): ChargeRow | [] => {
    if (row.type === 'charge') return row
    const ending = row.type === 'reserve' && !kept.has(row.id) && endings.get(row.id)
    return ending && ending.type === 'settle' ? chargeOf(row, ending, now) : []
  })
  const left = new Set([...endings.keys(), ...servedPlaces(requests, endings)])
  const others = rows.filter((row) => {
    if (row.type === 'place') return !left.has(row.id)
    if (row.type === 'settle' || row.type === 'cancel') return kept.has(row.id) && endings.get(row.id) === row
    return row.type === 'reserve' ? kept.has(row.id) : row.type === 'lost' && now - row.at < REST_MS
  })
  return [...byMinute(charges.filter(({ at }) => now - at <= quotaMemoryMs)), ...others]
}

/** Requests that are more than their charge: under way, young, refused, or the last that showed whether there is a quota. */
function keptRequests(requests: readonly ReserveRow[], endings: ReadonlyMap<string, Ending>, now: number) {
  const ended = requests.flatMap((request) => {
    const ending = endings.get(request.id)
    return ending?.type === 'settle' && ending.outcome.type !== 'not-sent' ? [{ request, outcome: ending.outcome }] : []
  })
  const lasting = ended.filter(({ outcome }) => now - outcome.at <= quotaMemoryMs)
  const shown = lasting.filter(({ outcome }) => shows(outcome) !== undefined)
  const lastShown = new Set(new Map(shown.map(({ request }) => [request.cost, request])).values())
  const whole = lasting.filter(({ request, outcome }, index) => {
    const isYoung = now - outcome.at <= WHOLE_MS && shows(outcome) !== false
    return isYoung || isRefusal(outcome) || index >= lasting.length - NEWEST || lastShown.has(request)
  })
  return [...requests.filter(({ id }) => !endings.has(id)), ...whole.map(({ request }) => request)]
}

/** The model learns more from a refusal than its cost. */
function isRefusal(outcome: SettleRow['outcome']): boolean {
  return outcome.type === 'answered' && (outcome.status === 429 || outcome.status === 503)
}

/** Whether a success shows that there is a quota; undefined where it shows neither. */
function shows(outcome: SettleRow['outcome']): boolean | undefined {
  return outcome.type === 'answered' && outcome.status < 300 ? showsQuota(outcome.report) : undefined
}

function chargeOf({ cost }: ReserveRow, { outcome }: SettleRow, now: number): ChargeRow | [] {
  if (outcome.type === 'not-sent') return []
  const charged = outcome.type === 'answered' && outcome.status < 300 ? outcome.report.cost : undefined
  // A clock that was set back leaves nothing in the future.
  return { type: 'charge', at: Math.min(outcome.at, now), cost: charged || cost }
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
  if (index < 0) return rows
  return [...requestsUnderWay(rows.slice(0, index)), ...rows.slice(index + 1)]
}

/** The requests that have not ended. */
export function requestsUnderWay(rows: readonly QuotaRow[]): readonly ReserveRow[] {
  const ended = firstEndings(rows)
  return rows.filter((row) => row.type === 'reserve' && !ended.has(row.id)) as readonly ReserveRow[]
}

/** Places of requests that were sent. */
function servedPlaces(requests: readonly ReserveRow[], endings: ReadonlyMap<string, Ending>): readonly string[] {
  return requests.flatMap(({ id, place }) => (place !== undefined && endings.get(id)?.type === 'settle' ? place : []))
}

/** The first ending of each reservation: its run and a process that believed the run gone may both write one. */
function firstEndings(rows: readonly QuotaRow[]): ReadonlyMap<string, Ending> {
  const endings = new Map<string, Ending>()
  for (const row of rows) {
    if ((row.type === 'settle' || row.type === 'cancel') && !endings.has(row.id)) endings.set(row.id, row)
  }
  return endings
}
