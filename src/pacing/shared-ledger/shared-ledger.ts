import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../clock.ts'
import type { QuotaLimits } from '../../protocol/rate-limits.ts'
import { isGone, thisProcess } from '../../system/process-identity.ts'
import type { Ledger, LedgerBook } from '../ledger.ts'
import { createQuotaModel } from '../quota-model/quota-model.ts'
import { createLedgerFold } from './ledger-fold.ts'
import { createLedgerGenerations, readNewestLines } from './ledger-generations.ts'
import { createFileJournal, linesBeforeSeal } from './ledger-log.ts'
import { createJournalLedger } from './log-ledger.ts'

export interface SharedLedgerOptions {
  /** Where what outlives a process is kept; the ledger gets a folder of its own in it. */
  readonly folder: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Those not named are the spec's (spec 8). */
  readonly limits: Partial<QuotaLimits>
  /** Units of the hour and of the day that are left to others. Default: 0. */
  readonly reserve?: number | undefined
  /** Default: the system's clock. All processes that share the folder have to tell the same time by it. */
  readonly clock?: Clock | undefined
  /** Told once where the folder cannot be used: from then on this process counts for itself alone. */
  readonly onProblem?: ((problem: LedgerProblem) => void) | undefined
}

/** Why a ledger is not shared. */
export interface LedgerProblem {
  readonly folder: string
  readonly reason: string
}

/**
 * One ledger for all processes of a machine that use the same key of the same service. It is an append-only file without
 * a lock: who reserves appends, then looks what stands before in the file, and takes back what came too late. The order
 * of the file is the arbiter. Neither key nor address is written down. Never throws for want of a disk.
 */
export function createSharedLedger(options: SharedLedgerOptions): Ledger {
  const { clock = systemClock } = options
  const folder = sharedLedgerFolder(options)
  return createJournalLedger({
    clock,
    createBook: () => bookOf(options),
    openJournal: (reader) => createFileJournal(createLedgerGenerations(folder), clock.now, reader),
    onProblem: (reason) => options.onProblem?.({ folder, reason }),
  })
}

/**
 * What a shared ledger knows at this moment, to reckon with; nothing is written. Where it cannot be read it is as if
 * nothing had been sent.
 */
export function readSharedBook(options: SharedLedgerOptions): LedgerBook {
  const folder = sharedLedgerFolder(options)
  const fold = createLedgerFold(() => bookOf(options))
  const now = (options.clock ?? systemClock).now()
  try {
    for (const line of linesBeforeSeal(readNewestLines(folder))) fold.deliver(line)
  } catch (error) {
    options.onProblem?.({ folder, reason: error instanceof Error ? error.message : String(error) })
  }
  const me = thisProcess()
  for (const { id, owner, at } of [...fold.inFlight.values()]) {
    if (isGone(owner, now - at, me)) fold.deliver({ type: 'settle', id, outcome: { type: 'unanswered', at: now } })
  }
  return fold.book()
}

function bookOf({ limits, reserve }: SharedLedgerOptions): LedgerBook {
  return createQuotaModel({ limits, ...(reserve !== undefined && { reserve }) })
}

/** Where the ledger of a key is. The name tells nothing of address and key, and is the same for all who use both. */
export function sharedLedgerFolder({
  folder,
  baseUrl,
  apiKey,
}: Pick<SharedLedgerOptions, 'folder' | 'baseUrl' | 'apiKey'>): string {
  const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex').slice(0, 16)
  return join(folder, 'rate', name)
}
