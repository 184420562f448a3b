import { writerOf } from '../../log/log.ts'
import type { Dated, LogForm } from '../../log/redis/history.ts'
import { FRESH_MS } from '../../store/sqlite-uploads.ts'
import type { Content } from '../../store/upload-store.ts'
import { createJournalFold } from '../journal-fold.ts'
import type { FleetEntry } from '../journal-items.ts'
import {
  factName,
  isShared,
  parseShared,
  recordTexts,
  type SharedFact,
  type SharedLine,
  sharedAccount,
  storedFleetEntry,
} from './fleet-facts.ts'

/** Older open uploads are not looked for any more. */
const KEPT_MS = 30 * 86_400_000
/** Stored uploads are in the log for this long. */
const RECENT_MS = 60_000
/** A runner that is cut off has sent without asking: for so long the list is read. */
const ALONE_MS = 86_400_000
const isAlive = () => true

type Ending = Dated<Extract<SharedFact, { readonly type: 'not-stored' | 'unknown' }>>

interface KnownRunner {
  /** By name; `at` is when it began. */
  readonly runs: Map<string, { readonly at: number; readonly isOver: boolean }>
  /** When it was last given up. */
  goneAt: number
}

/** What the facts of a fleet's log say, in their order: the fold of the journal, in which a runner that is gone ends its runs. */
export function createSharedFold() {
  const fold = createJournalFold()
  const runners = new Map<string, KnownRunner>()
  /** What was last said of an item that is not stored, by its name. */
  const endings = new Map<string, Ending>()
  let aloneAt = 0

  function runnerOf(name: string): KnownRunner {
    const known = runners.get(name) ?? { runs: new Map(), goneAt: 0 }
    runners.set(name, known)
    return known
  }

  function end(run: string, at: number): void {
    runnerOf(writerOf(run)).runs.set(run, { at, isOver: true })
    fold.apply({ type: 'end', run })
  }

  /** After a loss the mark of a runner that was given up may be told again behind a later run: dates decide. */
  function endGivenUp({ runs, goneAt }: KnownRunner): void {
    for (const [run, { at, isOver }] of runs) if (!isOver && at < goneAt) end(run, at)
  }

  const isThere = ({ upload: { slug } }: FleetEntry) => !fold.isForgotten(sharedAccount, slug)

  return {
    apply({ at, line }: SharedLine): void {
      switch (line.type) {
        case 'epoch':
          return
        case 'alone':
          aloneAt = Math.max(aloneAt, at)
          return
        case 'gone': {
          const runner = runnerOf(line.runner)
          runner.goneAt = Math.max(runner.goneAt, at)
          endGivenUp(runner)
          return
        }
        case 'end':
          end(line.run, at)
          return
        case 'run': {
          const runner = runnerOf(writerOf(line.run))
          if (!runner.runs.has(line.run)) runner.runs.set(line.run, { at, isOver: false })
          fold.apply(line)
          endGivenUp(runner)
          return
        }
        case 'not-stored':
        case 'unknown':
          if (at >= (endings.get(line.id)?.at ?? 0)) endings.set(line.id, { at, line })
          fold.apply(line)
          return
        case 'claim':
        case 'intent': {
          fold.apply(line)
          // After a loss it may be told again behind its ending.
          const ending = endings.get(line.id)
          if (ending && ending.at >= at) fold.apply(ending.line)
          return
        }
        default:
          fold.apply(line)
      }
    },
    /** Undefined for a run that is not in the log. */
    stateOf(run: string): 'works' | 'over' | undefined {
      const known = runners.get(writerOf(run))?.runs.get(run)
      return known && (known.isOver ? 'over' : 'works')
    },
    /** When a runner was last given up, by the fleet's time; 0 if it was not. */
    goneAt: (runner: string) => runners.get(runner)?.goneAt ?? 0,
    /** Whether nothing is known yet of what became of an item. */
    isOpen: fold.isOpen,
    /** When a runner last sent without asking, by the fleet's time; 0 if none did. */
    aloneAt: () => aloneAt,
    /** How an item stands among the claims of all runs. @param now the fleet's time */
    standing: (id: string, now: number) => fold.standing(id, isAlive, now - KEPT_MS),
    /** The newest upload of a content. @param recorded what the record has of it */
    known({ size, sha256 }: Content, recorded?: FleetEntry): FleetEntry | undefined {
      const same = fold.stored(sharedAccount, size).filter(({ item }) => item.sha256 === sha256)
      const entries = [...same.flatMap((one) => storedFleetEntry(one) ?? []), ...(recorded ? [recorded] : [])]
      return entries.filter(isThere).sort((one, other) => other.at - one.at)[0]
    },
    /** The upload of a slug. @param recorded what the record has of it */
    owner(slug: string, recorded: FleetEntry | undefined): FleetEntry | undefined {
      const stored = fold.owner(sharedAccount, slug)
      const entry = (stored && storedFleetEntry(stored)) ?? recorded
      return entry?.upload.slug === slug && isThere(entry) ? entry : undefined
    },
    /** @param now the fleet's time */
    retained(now: number) {
      const since = { pending: now - KEPT_MS, recent: now - RECENT_MS, fresh: now - FRESH_MS, byClaimAlone: true }
      return fold.retained(since, isAlive)
    },
  }
}

export type SharedFold = ReturnType<typeof createSharedFold>

export function sharedFoldOf(lines: readonly SharedLine[]): SharedFold {
  const fold = createSharedFold()
  for (const line of lines) fold.apply(line)
  return fold
}

/** The log of contents of a fleet. */
export const contentsForm: LogForm<SharedFact> = {
  log: 'contents',
  parse: parseShared,
  name: factName,
  isByDate: false,
  compactFrom: 600,
  keptMs: 90 * 86_400_000,
  compact(lines, now) {
    const fold = sharedFoldOf(lines)
    const { facts, stored, forgotten } = fold.retained(now)
    const kept = facts.filter(isShared).map((line) => ({ at: ('at' in line ? line.at : undefined) ?? now, line }))
    const alone: SharedLine = { at: fold.aloneAt(), line: { type: 'alone' } }
    return {
      lines: fold.aloneAt() > now - ALONE_MS ? [alone, ...kept] : kept,
      record: [String(forgotten.length), ...forgotten.map(({ slug }) => slug), ...stored.flatMap(recordTexts)],
    }
  },
  missing(log, held) {
    const names = new Set(log.map(factName))
    return held.filter((one) => one.line.type !== 'epoch' && !names.has(factName(one)))
  },
}
