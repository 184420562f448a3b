import type { RowForm } from '../../store/quota-store.ts'
import { quotaMemoryMs } from '../quota-model/quota-model.ts'
import { showsQuota } from '../quota-model/service-view.ts'
import { dateOf, type PlaceRow, parseRow, type QuotaRow, type ReserveRow } from './quota-row.ts'
import { REST_MS } from './quota-state.ts'

type Ending = Extract<QuotaRow, { type: 'settle' | 'cancel' }>
type Outcome = Extract<QuotaRow, { type: 'settle' }>['outcome']

/** Younger rows are kept as they are, because the shorter windows count single requests. */
const VERBATIM_MS = 2 * 3_600_000
const MERGED_MS = 60_000
/** The newest requests stay in any case: they tell the service's clock, and whether this machine's was set. */
const NEWEST = 32

/**
 * The rows that still matter for a key's quota. Old requests are merged by the minute and dated by the minute's last
 * answer, so that their units count in full and long enough.
 *
 * @param verbatimMs younger rows are kept as they are
 * @param isBusy whether younger ones are merged too, but for the newest, where the account has shown no quota: then
 * thousands may come in a minute
 */
export function compactRows(
  all: readonly QuotaRow[],
  now: number,
  { verbatimMs = VERBATIM_MS, isBusy = false } = {},
): readonly QuotaRow[] {
  const rows = notForgotten(all)
  const endings = firstEndings(rows)
  const requests = rows.filter((row) => row.type === 'reserve')
  const ended = requests.flatMap((row): Past | [] => {
    const ending = endings.get(row.id)
    const outcome = ending?.type === 'settle' ? ending.outcome : undefined
    if (outcome === undefined || outcome.type === 'not-sent' || now - outcome.at > quotaMemoryMs) return []
    return { ...row, outcome }
  })
  const lastMerged = isBusy ? ended.length - NEWEST : 0
  const old = new Set(
    ended.filter(({ outcome }, index) => now - outcome.at > verbatimMs || (index < lastMerged && hasNoQuota(outcome))),
  )
  const young = ended.filter((request) => !old.has(request))
  const open = requests.filter(({ id }) => !endings.has(id))
  const keptIds = new Set([...young, ...open, ...openPlaces(rows, endings)].map(({ id }) => id))
  const kept = rows.filter(
    (row) =>
      (row.type === 'lost' && now - row.at < REST_MS) ||
      ('id' in row && keptIds.has(row.id) && ('cost' in row || endings.get(row.id) === row)),
  )
  return byDate(condensed([...old]).flatMap(rowsOf), kept)
}

/** The rows of a quota. */
export const rowForm: RowForm<QuotaRow> = {
  format: JSON.stringify,
  parse: parseRow,
  compact: (rows, now) => compactRows(rows, now, { isBusy: true }),
}

/** A request that replaces old ones: dated by its end, since the time of sending is not kept. */
interface Past extends Pick<ReserveRow, 'id' | 'run' | 'cost'> {
  readonly outcome: Exclude<Outcome, { type: 'not-sent' }>
}

/** All rows in the order of their dates. A row without a date, or dated before the one above it, stays behind that. */
function byDate(...lists: readonly (readonly QuotaRow[])[]): readonly QuotaRow[] {
  const dated = lists.flatMap((rows) => {
    let at = 0
    return rows.map((row) => {
      at = Math.max(at, dateOf(row) ?? 0)
      return { row, at }
    })
  })
  return dated.sort((a, b) => a.at - b.at).map(({ row }) => row)
}

/** Sorted by time. */
function condensed(old: readonly Past[]): readonly Past[] {
  const minutes = new Map<number, Past>()
  const refusals: Past[] = []
  const shown = new Map<number, Past>()
  for (const request of old) {
    const { outcome } = request
    const merged = isRefusal(outcome) ? undefined : takeLatest(shown, request)
    if (isRefusal(outcome)) refusals.push({ ...request, outcome: { ...outcome, report: {} } })
    else if (merged !== undefined) merge(minutes, merged)
  }
  return [...minutes.values(), ...refusals, ...shown.values()].sort((a, b) => a.outcome.at - b.outcome.at)
}

function rowsOf({ id, run, cost, outcome }: Past): readonly QuotaRow[] {
  return [
    { type: 'reserve', id, run, at: outcome.at, cost },
    { type: 'settle', id, outcome },
  ]
}

/** Refusals are not merged, because the model learns more from one than its cost. Their reports refer to the time of sending. */
function isRefusal(outcome: Outcome): outcome is Extract<Outcome, { type: 'answered' }> {
  return outcome.type === 'answered' && (outcome.status === 429 || outcome.status === 503)
}

/** Of such answers the latest is kept, so the others teach nothing. */
function hasNoQuota(outcome: Outcome): boolean {
  return outcome.type === 'answered' && showsQuota(outcome.report) === false && !isRefusal(outcome)
}

/**
 * Keeps of each price the latest success that shows whether there is a quota: the model believes it for longer.
 * @returns the request that is not kept
 */
function takeLatest(shown: Map<number, Past>, request: Past): Past | undefined {
  const { outcome, cost } = request
  if (outcome.type !== 'answered' || outcome.status >= 300) return request
  const hasQuota = showsQuota(outcome.report)
  const before = shown.get(cost)
  if (hasQuota === undefined || (before && before.outcome.at > outcome.at)) return request
  const report = { cost: outcome.report.cost ?? cost, isCostAlone: !hasQuota }
  shown.set(cost, { ...request, outcome: { ...outcome, report } })
  return before
}

/** Adds a request to its minute: one request that was sent and not answered counts as charged and teaches nothing. */
function merge(minutes: Map<number, Past>, { id, run, cost, outcome }: Past): void {
  const minute = Math.floor(outcome.at / MERGED_MS)
  const before = minutes.get(minute)
  const charged = outcome.type === 'answered' && outcome.status < 300 ? outcome.report.cost : undefined
  minutes.set(minute, {
    id: before?.id ?? id,
    run: before?.run ?? run,
    cost: (before?.cost ?? 0) + (charged || cost),
    outcome: { type: 'unanswered', at: Math.max(before?.outcome.at ?? outcome.at, outcome.at) },
  })
}

/** The rows after the last `forget`, and the requests that were under way at it. */
function notForgotten(rows: readonly QuotaRow[]): readonly QuotaRow[] {
  const index = rows.findLastIndex(({ type }) => type === 'forget')
  if (index < 0) return rows
  const before = rows.slice(0, index)
  const ended = firstEndings(before)
  return [...before.filter((row) => row.type === 'reserve' && !ended.has(row.id)), ...rows.slice(index + 1)]
}

/** Requests that still wait. */
function openPlaces(rows: readonly QuotaRow[], endings: ReadonlyMap<string, Ending>): readonly PlaceRow[] {
  const served = new Set(
    rows.flatMap((row) =>
      row.type === 'reserve' && row.place !== undefined && endings.get(row.id)?.type === 'settle' ? row.place : [],
    ),
  )
  return rows.flatMap((row) => (row.type === 'place' && !endings.has(row.id) && !served.has(row.id) ? row : []))
}

/** The first ending of each reservation: its run and a process that believed the run gone may both write one. */
function firstEndings(rows: readonly QuotaRow[]): Map<string, Ending> {
  const endings = new Map<string, Ending>()
  for (const row of rows) {
    if ((row.type === 'settle' || row.type === 'cancel') && !endings.has(row.id)) endings.set(row.id, row)
  }
  return endings
}
