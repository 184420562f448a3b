import type { Clock } from '../../clock.ts'
import { readFileLog } from '../../log/file-log.ts'
import { createMemoryLog, type Log, type LogReader } from '../../log/log.ts'
import { isGone, isSameProcess, type ProcessOwner, thisProcess } from '../../system/process-identity.ts'
import { byDate, compactLines, ledgerForm } from '../quota-log/ledger-compaction.ts'
import { appendForget, openLedgerFile } from '../quota-log/ledger-file.ts'
import type { LedgerFold } from '../quota-log/ledger-fold.ts'
import { dateOf, type LedgerLine } from '../quota-log/ledger-line.ts'

export interface CutOffLogOptions {
  readonly clock: Clock
  /** Where the runners of this machine that are cut off count together; undefined: each counts in its own memory. */
  readonly folder: string | undefined
  /** Default: this process. */
  readonly owner?: ProcessOwner | undefined
  /** Default: asks the system. */
  readonly hasEnded?: ((owner: ProcessOwner, ageMs: number) => boolean) | undefined
}

/** The log of this machine's runners while they are cut off from Redis, apart from that of runs without a fleet. */
export function createCutOffLog({ clock, folder, owner: me = thisProcess(), ...options }: CutOffLogOptions) {
  const hasEnded = options.hasEnded ?? ((owner, ageMs) => isGone(owner, ageMs, me))

  function lines(): readonly LedgerLine[] {
    if (folder === undefined) return []
    try {
      return compactLines(readFileLog(folder, ledgerForm), clock.now())
    } catch {
      // `open` says why the folder cannot be used.
      return []
    }
  }

  const isLeft = ({ owner, at }: { readonly owner: ProcessOwner; readonly at: number }) =>
    !isSameProcess(owner, me) && hasEnded(owner, clock.now() - at)

  return {
    open: (reader: LogReader<LedgerLine>): Log<LedgerLine> =>
      folder === undefined ? createMemoryLog(reader) : openLedgerFile(folder, clock, reader),
    /** What processes of this machine counted while they were cut off, before they ended. */
    leftovers(): readonly LedgerLine[] {
      const all = lines()
      const left = all.filter((line) => line.type === 'reserve' && isLeft(line))
      const ids = new Set(left.flatMap((line) => ('id' in line ? line.id : [])))
      const endings = all.filter((line) => line.type !== 'reserve' && 'id' in line && ids.has(line.id))
      for (const line of endings) if ('id' in line) ids.delete(line.id)
      // What they had under way may have been charged until now.
      const outcome = { type: 'unanswered', at: clock.now() } as const
      return [...left, ...endings, ...[...ids].map((id) => ({ type: 'settle', id, outcome }) as const)]
    },
    /** The fleet has all leftovers: forgets the count, unless another process of this machine still needs it. */
    forget(): void {
      const all = lines()
      const isNeeded = all.some((line) => line.type === 'reserve' && !isSameProcess(line.owner, me) && !isLeft(line))
      if (folder === undefined || all.length === 0 || isNeeded) return
      try {
        appendForget(folder, clock)
      } catch {
        // The fleet takes lines that it has already as one.
      }
    },
  }
}

/**
 * What the fleet's log says, for a count of one runner alone. Requests of others that were under way will end unseen, so they
 * count as charged when they were last heard of; this runner tells of its own.
 */
export function seedOf(
  lines: readonly LedgerLine[],
  { heardAt = 0, isOurs }: { readonly heardAt: number | undefined; readonly isOurs: (id: string) => boolean },
): readonly LedgerLine[] {
  const requests = lines.flatMap((line) => ('id' in line && line.type !== 'place' ? line : []))
  const ended = new Set(requests.flatMap(({ type, id }) => (type === 'reserve' ? [] : id)))
  const seed = requests.filter(({ id }) => ended.has(id) || !isOurs(id))
  const lost = seed.flatMap((line): readonly LedgerLine[] => {
    if (line.type !== 'reserve' || ended.has(line.id)) return []
    return [{ type: 'settle', id: line.id, outcome: { type: 'unanswered', at: Math.max(line.at, heardAt) } }]
  })
  return [...seed, ...lost]
}

/**
 * Brings a seed and the lines of a log into one fold. Lines that are older than the newest of the seed are counted at their
 * dates: in the order of the log they would look like a clock that was set back.
 *
 * @param seed sorted by date; other lines of the same requests change nothing
 */
export function createSeededReader(fold: LedgerFold, seed: readonly LedgerLine[]) {
  const seeded = new Set(seed.flatMap((line) => ('id' in line ? line.id : [])))
  const endOfSeed = Math.max(Number.NEGATIVE_INFINITY, ...seed.flatMap((line) => dateOf(line) ?? []))
  let lines: LedgerLine[] = []
  /** Requests that began before the end of the seed. */
  const early = new Set<string>()
  let isBehind = true
  const isEarly = (line: LedgerLine) => 'id' in line && early.has(line.id)

  /** Counts lines that came late. */
  function catchUp(): void {
    if (!isBehind) return
    isBehind = false
    fold.restart()
    for (const line of byDate(seed, lines.filter(isEarly))) fold.deliver(line)
    for (const line of lines) if (!isEarly(line)) fold.deliver(line)
  }

  return {
    deliver(line: LedgerLine): void {
      if (line.type === 'forget') {
        catchUp()
        lines = [...fold.inFlight.values(), ...fold.waiting()]
        isBehind = true
      } else if (!seeded.has(line.id)) {
        if (line.type === 'reserve' && line.at < endOfSeed) early.add(line.id)
        lines.push(line)
        if (isEarly(line)) isBehind = true
        else fold.deliver(line)
      }
    },
    catchUp,
    restart(): void {
      lines = []
      early.clear()
      isBehind = true
    },
  }
}
