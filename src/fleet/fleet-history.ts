import { quotaMemoryMs } from '../pacing/quota-model/quota-model.ts'
import { compactLines } from '../pacing/shared-ledger/ledger-compaction.ts'
import type { LedgerLine } from '../pacing/shared-ledger/ledger-line.ts'
import { toLedgerLines } from './fleet-fold.ts'
import { type Dated, type DatedLine, datedLine, type FleetLine, lineName, parseLine } from './fleet-line.ts'
import type { ParseLine } from './log-answer.ts'

/** What the lines of one log of a fleet are, and which of them still matter. Times are the fleet's. */
export interface LogForm<Line> {
  /** As the scripts name it. */
  readonly log: 'quota' | 'contents'
  readonly parse: ParseLine<Line>
  /** Two lines of one name say the same. */
  name(line: Dated<Line>): string
  /** Whether the dates of lines decide what they mean; else their places in the log do. */
  readonly isByDate: boolean
  /** A log of more entries is compacted. */
  readonly compactFrom: number
  /** So is one that begins longer ago. */
  readonly keptMs: number
  compact(lines: readonly Dated<Line>[], now: number): Compacted<Line>
  /** The lines that a runner holds and the log has lost. */
  missing(log: readonly Dated<Line>[], held: readonly Dated<Line>[], now: number): readonly Dated<Line>[]
}

interface Compacted<Line> {
  readonly lines: readonly Dated<Line>[]
  /** What the lines leave out, as compact.lua takes it: a number of slugs, these, and four texts for each upload. */
  readonly record: readonly string[]
}

/** All lines of a log that a runner holds, each once. */
export function createHistory<Line>({ name: nameOf, isByDate }: Pick<LogForm<Line>, 'name' | 'isByDate'>) {
  let lines: Dated<Line>[] = []
  let names = new Set<string>()
  const inOrder = (all: readonly Dated<Line>[]) => (isByDate ? [...all].sort((a, b) => a.at - b.at) : [...all])

  return {
    lines: (): readonly Dated<Line>[] => lines,
    inOrder,
    /**
     * Adds lines that are not there yet.
     * @returns those that were added; `isLater` if all of them come after all others
     */
    add(more: readonly Dated<Line>[]): { readonly added: readonly Dated<Line>[]; readonly isLater: boolean } {
      const added: Dated<Line>[] = []
      for (const line of more) {
        const name = nameOf(line)
        if (names.has(name)) continue
        names.add(name)
        added.push(line)
      }
      const newest = lines.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      const isLater = !isByDate || added.every(({ at }, index) => at >= (added[index - 1]?.at ?? newest))
      lines.push(...added)
      if (!isLater) lines = inOrder(lines)
      return { added, isLater }
    },
    replace(all: readonly Dated<Line>[]): void {
      lines = inOrder(all)
      names = new Set(lines.map(nameOf))
    },
  }
}

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
  const endings = all.flatMap((line) => (line.type === 'settle' ? [datedLine(line)?.at ?? now] : []))
  const since = endings.at(-KEPT_ONE_BY_ONE) ?? Number.NEGATIVE_INFINITY
  return compactLines(all, now, Math.min(now - since, ALIKE_MS)).flatMap((line) => datedLine(line) ?? [])
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
