import type { LineForm } from '../../log/log.ts'
import { quotaMemoryMs } from '../quota-model/quota-model.ts'
import { showsQuota } from '../quota-model/service-view.ts'
import {
  dateOf,
  formatLedgerLine,
  type LedgerLine,
  type PlaceLine,
  parseLedgerLine,
  type ReserveLine,
} from './ledger-line.ts'

type Ending = Extract<LedgerLine, { type: 'settle' | 'cancel' }>
type Outcome = Extract<LedgerLine, { type: 'settle' }>['outcome']

/** Younger lines are kept as they are, because the shorter windows count single requests. */
const VERBATIM_MS = 2 * 3_600_000
const MERGED_MS = 60_000
/** The newest requests stay in any case: they tell the service's clock, and whether this machine's was set. */
const NEWEST = 32

/**
 * The lines that still matter for a key's quota. Old requests are merged by the minute and dated by the minute's last
 * answer, so that their units count in full and long enough.
 *
 * @param verbatimMs younger lines are kept as they are
 * @param isBusy whether younger ones are merged too, but for the newest, where the account has shown no quota: then
 * thousands may come in a minute
 */
export function compactLines(
  all: readonly LedgerLine[],
  now: number,
  { verbatimMs = VERBATIM_MS, isBusy = false } = {},
): readonly LedgerLine[] {
  const lines = notForgotten(all)
  const endings = firstEndings(lines)
  const requests = lines.filter((line) => line.type === 'reserve')
  const ended = requests.flatMap((line): Past | [] => {
    const ending = endings.get(line.id)
    const outcome = ending?.type === 'settle' ? ending.outcome : undefined
    if (outcome === undefined || outcome.type === 'not-sent' || now - outcome.at > quotaMemoryMs) return []
    return { ...line, outcome }
  })
  const lastMerged = isBusy ? ended.length - NEWEST : 0
  const old = new Set(
    ended.filter(({ outcome }, index) => now - outcome.at > verbatimMs || (index < lastMerged && hasNoQuota(outcome))),
  )
  const young = ended.filter((request) => !old.has(request))
  const open = requests.filter(({ id }) => !endings.has(id))
  const keptIds = new Set([...young, ...open, ...openPlaces(lines, endings)].map(({ id }) => id))
  const kept = lines.filter(
    (line) => 'id' in line && keptIds.has(line.id) && ('cost' in line || endings.get(line.id) === line),
  )
  return byDate(condensed([...old]).flatMap(linesOf), kept)
}

/** The lines of a ledger in files. */
export const ledgerForm: LineForm<LedgerLine> = {
  format: formatLedgerLine,
  parse: parseLedgerLine,
  compact: (lines, now) => compactLines(lines, now, { isBusy: true }),
}

/** A request that replaces old ones: dated by its end, since the time of sending is not kept. */
interface Past extends Pick<ReserveLine, 'id' | 'owner' | 'cost'> {
  readonly outcome: Exclude<Outcome, { type: 'not-sent' }>
}

/** All lines in the order of their dates. A line without a date, or dated before the one above it, stays behind that. */
export function byDate(...lists: readonly (readonly LedgerLine[])[]): readonly LedgerLine[] {
  const dated = lists.flatMap((lines) => {
    let at = 0
    return lines.map((line) => {
      at = Math.max(at, dateOf(line) ?? 0)
      return { line, at }
    })
  })
  return dated.sort((a, b) => a.at - b.at).map(({ line }) => line)
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

function linesOf({ id, owner, cost, outcome }: Past): readonly LedgerLine[] {
  return [
    { type: 'reserve', id, owner, at: outcome.at, cost },
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
function merge(minutes: Map<number, Past>, { id, owner, cost, outcome }: Past): void {
  const minute = Math.floor(outcome.at / MERGED_MS)
  const before = minutes.get(minute)
  const told = outcome.type === 'answered' && outcome.status < 300 ? outcome.report.cost : undefined
  minutes.set(minute, {
    id: before?.id ?? id,
    owner: before?.owner ?? owner,
    cost: (before?.cost ?? 0) + (told || cost),
    outcome: { type: 'unanswered', at: Math.max(before?.outcome.at ?? outcome.at, outcome.at) },
  })
}

/** The lines after the last `forget`, and the requests that were under way at it. */
function notForgotten(lines: readonly LedgerLine[]): readonly LedgerLine[] {
  const index = lines.findLastIndex(({ type }) => type === 'forget')
  if (index < 0) return lines
  const before = lines.slice(0, index)
  const ended = firstEndings(before)
  return [...before.filter((line) => line.type === 'reserve' && !ended.has(line.id)), ...lines.slice(index + 1)]
}

/** Requests that still wait. */
function openPlaces(lines: readonly LedgerLine[], endings: ReadonlyMap<string, Ending>): readonly PlaceLine[] {
  const served = new Set(
    lines.flatMap((line) =>
      line.type === 'reserve' && line.place !== undefined && endings.get(line.id)?.type === 'settle' ? line.place : [],
    ),
  )
  return lines.flatMap((line) => (line.type === 'place' && !endings.has(line.id) && !served.has(line.id) ? line : []))
}

/** The first ending of each reservation: its owner and a process that believed the owner gone may both write one. */
function firstEndings(lines: readonly LedgerLine[]): Map<string, Ending> {
  const endings = new Map<string, Ending>()
  for (const line of lines) {
    if ((line.type === 'settle' || line.type === 'cancel') && !endings.has(line.id)) endings.set(line.id, line)
  }
  return endings
}
