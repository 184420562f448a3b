import type { LogForm } from '../../log/redis/history.ts'
import { compactLines } from '../quota-log/ledger-compaction.ts'
import { dateOf, type LedgerLine } from '../quota-log/ledger-line.ts'
import { quotaMemoryMs } from '../quota-model/quota-model.ts'
import { toLedgerLines } from './fleet-fold.ts'
import { type DatedLine, datedLine, type FleetLine, lineName, parseLine } from './fleet-line.ts'

/** Lines older than this are merged in a compacted history, so two runners may hold them in different forms. */
const ALIKE_MS = 2 * 3_600_000

function missingFrom(log: readonly DatedLine[], held: readonly DatedLine[], now: number): readonly DatedLine[] {
  const names = new Set(log.map(lineName))
  // A runner that had all of it has already added the older ones.
  const hasOld = log.some(({ at }) => at < now - ALIKE_MS)
  const from = hasOld ? now - ALIKE_MS : now - quotaMemoryMs
  return held.filter(
    (line) => line.at >= from && 'id' in line.line && line.line.type !== 'place' && !names.has(lineName(line)),
  )
}

/** So many of the newest requests are kept one by one. */
const KEPT_ONE_BY_ONE = 1_000

/** A shorter history in which all units count in full and as long as before. */
function compacted(lines: readonly DatedLine[], now: number): readonly DatedLine[] {
  const all = toLedgerLines(lines)
  const endings = all.flatMap((line) => (line.type === 'settle' ? [dateOf(line) ?? now] : []))
  const since = endings.at(-KEPT_ONE_BY_ONE) ?? Number.NEGATIVE_INFINITY
  const verbatimMs = Math.min(now - since, ALIKE_MS)
  return compactLines(all, now, { verbatimMs }).flatMap((line) => datedLine(line) ?? [])
}

export const quotaForm: LogForm<FleetLine> = {
  log: 'quota',
  parse: parseLine,
  name: lineName,
  isByDate: true,
  compactFrom: 4_000,
  keptMs: Number.POSITIVE_INFINITY,
  compact: (lines, now) => ({ lines: compacted(lines, now), record: ['0'] }),
  missing: missingFrom,
}

/** What another ledger counted, for the log of the fleet: requests that were not sent are left out. */
export function mergeable(lines: readonly LedgerLine[]): readonly DatedLine[] {
  const unsent = new Set(
    lines.flatMap((line) => {
      const isUnsent = line.type === 'cancel' || (line.type === 'settle' && line.outcome.type === 'not-sent')
      return isUnsent ? [line.id] : []
    }),
  )
  return lines.flatMap((line) =>
    line.type === 'place' || ('id' in line && unsent.has(line.id)) ? [] : (datedLine(line) ?? []),
  )
}
