import { quotaMemoryMs } from '../pacing/quota-model/quota-model.ts'
import { compactLines } from '../pacing/shared-ledger/ledger-compaction.ts'
import type { LedgerLine } from '../pacing/shared-ledger/ledger-line.ts'
import { toLedgerLines } from './fleet-fold.ts'
import { type DatedLine, datedLine, lineName } from './fleet-line.ts'

/** All lines of a fleet that a runner holds, sorted by date, each once. */
export interface History {
  readonly lines: () => readonly DatedLine[]
  /**
   * Adds lines that are not there yet.
   * @returns those that were added; `inOrder` if all of them are dated after all others
   */
  add(lines: readonly DatedLine[]): { readonly added: readonly DatedLine[]; readonly inOrder: boolean }
  replace(lines: readonly DatedLine[]): void
}

export function createHistory(): History {
  let lines: DatedLine[] = []
  let names = new Set<string>()

  return {
    lines: () => lines,
    add(more) {
      const added: DatedLine[] = []
      for (const line of more) {
        const name = lineName(line)
        if (names.has(name)) continue
        names.add(name)
        added.push(line)
      }
      const newest = lines.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      const inOrder = added.every(({ at }, index) => at >= (added[index - 1]?.at ?? newest))
      lines.push(...added)
      if (!inOrder) lines = sorted(lines)
      return { added, inOrder }
    },
    replace(all) {
      lines = sorted(all)
      names = new Set(lines.map(lineName))
    },
  }
}

/** By date; lines of one date keep their order. */
export function sorted(lines: readonly DatedLine[]): DatedLine[] {
  return [...lines].sort((a, b) => a.at - b.at)
}

/** Lines older than this are merged in a compacted history, so two runners may hold them in different forms. */
const ALIKE_MS = 2 * 3_600_000

/**
 * The lines that one runner holds and the log has lost.
 *
 * @param now the fleet's time
 */
export function missingFrom(log: readonly DatedLine[], held: readonly DatedLine[], now: number): readonly DatedLine[] {
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
export function compacted(lines: readonly DatedLine[], now: number): readonly DatedLine[] {
  const all = toLedgerLines(lines)
  const endings = all.flatMap((line) => (line.type === 'settle' ? [datedLine(line)?.at ?? now] : []))
  const since = endings.at(-KEPT_ONE_BY_ONE) ?? Number.NEGATIVE_INFINITY
  return compactLines(all, now, Math.min(now - since, ALIKE_MS)).flatMap((line) => datedLine(line) ?? [])
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

/** The ids of requests that are under way. */
export function withoutEnding(lines: readonly LedgerLine[]): ReadonlySet<string> {
  const ids = new Set(lines.flatMap((line) => (line.type === 'reserve' ? [line.id] : [])))
  for (const line of lines) if (line.type === 'settle' || line.type === 'cancel') ids.delete(line.id)
  return ids
}
