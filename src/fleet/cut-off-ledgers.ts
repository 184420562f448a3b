import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { readFileLog } from '../log/file-log.ts'
import { createMemoryLog } from '../log/memory-log.ts'
import type { LedgerEntry, QuotaModel } from '../pacing/ledger.ts'
import { compactLines, ledgerForm } from '../pacing/shared-ledger/ledger-compaction.ts'
import type { LedgerLine } from '../pacing/shared-ledger/ledger-line.ts'
import { createLogLedger, type LogLedger } from '../pacing/shared-ledger/log-ledger.ts'
import { appendForget, openLedgerFile } from '../pacing/shared-ledger/shared-ledger.ts'
import { isGone, isSameProcess, type ProcessOwner, thisProcess } from '../system/process-identity.ts'
import type { KnownFleet } from './fleet-ledger-port.ts'
import { createSeededModel } from './seeded-model.ts'
import { createStretchedModel, withoutRoom } from './stretched-model.ts'

export interface CutOffLedgersOptions {
  readonly clock: Clock
  readonly createModel: () => QuotaModel
  /** The name of this process among the runners. */
  readonly runner: string
  /** How many runners to assume if Redis was never reached. */
  readonly assumedRunners: number
  /** Where the runners of this machine that are cut off count together; undefined: each counts in its own memory. */
  readonly folder: string | undefined
  /** Called with the reason when the folder cannot be used; the process then counts in its own memory. */
  readonly onProblem: (reason: string) => void
  /** Default: this process. */
  readonly owner?: ProcessOwner
  /** Default: asks the system. */
  readonly hasEnded?: (owner: ProcessOwner, ageMs: number) => boolean
  /** From 0 to below 1. */
  readonly random?: () => number
}

/** By the spec's limits the minute has room for the burst's two uploads every 20 s. */
const PAIR_OF_UPLOADS_MS = 20_000

/** The ledgers of a runner that cannot reach the others. */
export interface CutOffLedgers {
  /** @param underWay ids of requests of this runner that the ledger adopts */
  open(known: KnownFleet, underWay: ReadonlySet<string>): LogLedger
  /** What processes of this machine counted while they were cut off, before they ended. */
  leftovers(): readonly LedgerLine[]
  /** The fleet has all leftovers: forgets the count, unless another process of this machine still needs it. */
  forget(): void
}

export function createCutOffLedgers(options: CutOffLedgersOptions): CutOffLedgers {
  const { clock, folder, runner, random = Math.random } = options
  const me = options.owner ?? thisProcess()
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

  function hasLeft(owner: ProcessOwner, at: number): boolean {
    return !isSameProcess(owner, me) && hasEnded(owner, clock.now() - at)
  }

  return {
    open(known, underWay) {
      const factor = Math.max(known.runners ?? options.assumedRunners, 1)
      const lateMs = random() * (factor - 1) * PAIR_OF_UPLOADS_MS
      const stretch = { from: known.heardAt ?? Number.NEGATIVE_INFINITY, factor, lateMs }
      const seed = seedOf(known, underWay)
      return createLogLedger({
        ...options,
        idPrefix: `${runner}.${randomBytes(6).toString('base64url')}`,
        createModel: () => createSeededModel(() => createStretchedModel(options.createModel(), stretch), seed),
        openLog: (reader) => (folder === undefined ? createMemoryLog(reader) : openLedgerFile(folder, clock, reader)),
      })
    },
    leftovers() {
      const all = lines()
      const left = all.filter((line) => line.type === 'reserve' && hasLeft(line.owner, line.at))
      const ids = new Set(left.flatMap((line) => ('id' in line ? line.id : [])))
      const endings = all.filter((line) => line.type !== 'reserve' && 'id' in line && ids.has(line.id))
      for (const line of endings) if ('id' in line) ids.delete(line.id)
      // What they had under way may have been charged until now.
      const outcome = { type: 'unanswered', at: clock.now() } as const
      return [
        ...left,
        ...endings.map(asToldToFleet),
        ...[...ids].map((id) => ({ type: 'settle', id, outcome }) as const),
      ]
    },
    forget() {
      const all = lines()
      const isNeeded = all.some(
        (line) => line.type === 'reserve' && !isSameProcess(line.owner, me) && !hasLeft(line.owner, line.at),
      )
      if (folder === undefined || all.length === 0 || isNeeded) return
      try {
        appendForget(folder, clock)
      } catch {
        // The fleet takes lines that it has already as one.
      }
    },
  }
}

/** Others' charges show in the room that an answer tells, and the fleet learns of them from the others. */
function asToldToFleet(line: LedgerLine): LedgerLine {
  return line.type === 'settle' ? { ...line, outcome: withoutRoom(line.outcome) } : line
}

/**
 * What the fleet's log says, for a count of one runner alone. Requests of others that were under way will end unseen, so they
 * count as charged when they were last heard of.
 */
function seedOf({ lines, heardAt = 0 }: KnownFleet, underWay: ReadonlySet<string>): readonly LedgerEntry[] {
  const kept = lines.flatMap((line) => ('id' in line && line.type !== 'place' && !underWay.has(line.id) ? line : []))
  const ended = new Set(kept.flatMap(({ type, id }) => (type === 'reserve' ? [] : id)))
  const entries = kept.map((line) =>
    line.type === 'reserve' ? { type: line.type, id: line.id, at: line.at, cost: line.cost } : line,
  )
  const left = kept.flatMap((line) => (line.type === 'reserve' && !ended.has(line.id) ? line : []))
  const lost = left.map(({ id, at }) => {
    const outcome = { type: 'unanswered', at: Math.max(at, heardAt) } as const
    return { type: 'settle', id, outcome } as const
  })
  return [...entries, ...lost]
}
