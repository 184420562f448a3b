import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { observer } from '../../checks/observer.ts'
import { aFunction, aSecret, checkOptions, numberFrom, type OptionChecks, objectWith } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { type Clock, systemClock } from '../../clock.ts'
import { openFileLog, readFileLog } from '../../log/file-log.ts'
import { createGenerations } from '../../log/generations.ts'
import type { Log, LogReader } from '../../log/log.ts'
import type { QuotaLimits } from '../../protocol/rate-limits.ts'
import { accountHash, formerAccountHashes } from '../../system/account-hash.ts'
import { isGone, thisProcess } from '../../system/process-identity.ts'
import type { Ledger } from '../ledger.ts'
import { createQuotaModel } from '../quota-model/quota-model.ts'
import { limitsCheck, type QuotaModelOptions } from '../quota-model/quota-model-options.ts'
import { type QuotaReading, readQuota } from '../quota-reading.ts'
import { ledgerForm } from './ledger-compaction.ts'
import { createLedgerFold, type LedgerFold } from './ledger-fold.ts'
import type { LedgerLine } from './ledger-line.ts'
import { createLogLedger } from './log-ledger.ts'
import { createLogHome } from './quota-home.ts'

export interface SharedLedgerOptions {
  /** The folder for state that outlives a process; the ledger makes a folder of its own in it. */
  readonly folder: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Default of each: the spec's (spec 8). */
  readonly limits: Partial<QuotaLimits>
  /** Units of the hour and of the day to leave to other users of the key. Default: 0. */
  readonly reserve?: number | undefined
  /** Default: the system's clock. All processes that share the folder must agree on the time. */
  readonly clock?: Clock | undefined
  /** Called once if the folder cannot be used; until it can, this process counts only its own requests. */
  readonly onProblem?: ((problem: LedgerProblem) => void) | undefined
}

const optionChecks: OptionChecks<SharedLedgerOptions> = {
  folder: { ...aText, accepts: 'the path of a folder' },
  baseUrl: aText,
  apiKey: aSecret,
  limits: limitsCheck,
  reserve: numberFrom(0, 'units from 0 up'),
  clock: objectWith(['now', 'sleep'], 'a clock with now and sleep, such as systemClock'),
  onProblem: aFunction,
}

/** Why a ledger is not shared. */
export interface LedgerProblem {
  readonly folder: string
  readonly reason: string
}

/**
 * One ledger for all processes of a machine that use the same key of the same service: an append-only file without a
 * lock. To reserve, a process appends a line, reads the lines before it, and cancels its line if they leave no room. The
 * order of the file decides. The file contains neither key nor address. A full or missing disk never makes it throw.
 */
export function createSharedLedger(options: SharedLedgerOptions): Ledger {
  checkOptions('createSharedLedger', options, optionChecks, { required: ['folder', 'baseUrl', 'apiKey'] })
  const { clock = systemClock } = options
  const onProblem = observer('onProblem of createSharedLedger', options.onProblem)
  const folder = sharedLedgerFolder(options)
  takeFormerFolder(options, folder)
  const home = createLogHome({
    // Differs from the names of other processes; it is no secret.
    name: Math.random().toString(36).slice(2, 12),
    clock,
    createModel: () => createQuotaModel(options),
    openLog: (reader) => openLedgerFile(folder, clock, reader),
    onProblem: (reason) => onProblem({ folder, reason }),
  })
  return createLogLedger({ clock, home })
}

/**
 * What a shared ledger adds up to at this moment; writes nothing. A ledger that cannot be read counts as empty and is
 * reported to `onProblem`.
 */
export function readSharedFold(options: SharedLedgerOptions): LedgerFold {
  const folder = sharedLedgerFolder(options)
  const now = (options.clock ?? systemClock).now()
  let lines: readonly LedgerLine[] = []
  try {
    lines = readFileLog(folder, ledgerForm)
  } catch (error) {
    options.onProblem?.({ folder, reason: error instanceof Error ? error.message : String(error) })
  }
  const fold = foldLedger(lines, options)
  const me = thisProcess()
  for (const { id, owner, at } of [...fold.inFlight.values()]) {
    if (isGone(owner, now - at, me)) fold.deliver({ type: 'settle', id, outcome: { type: 'unanswered', at: now } })
  }
  return fold
}

/** What the lines of a ledger add up to: the quota model, and the reservations that have not ended. */
export function foldLedger(lines: readonly LedgerLine[], options: QuotaModelOptions): LedgerFold {
  const fold = createLedgerFold(() => createQuotaModel(options))
  for (const line of lines) fold.deliver(line)
  return fold
}

/** Reads the ledger that the processes of this machine share; sends nothing, writes nothing. */
export function readSharedQuota(options: SharedLedgerOptions): QuotaReading {
  const at = (options.clock ?? systemClock).now()
  return readQuota(readSharedFold(options).model(), at)
}

/**
 * Forgets what the processes of this machine have counted and learned for a key, except requests under way. It appends a
 * line to the ledger, so that running processes forget too.
 *
 * @returns false where there is no ledger
 * @throws the system's error where it cannot be written
 */
export function forgetSharedQuota(options: Omit<SharedLedgerOptions, 'limits'>): boolean {
  const folder = sharedLedgerFolder(options)
  if (!existsSync(folder)) return false
  appendForget(folder, options.clock ?? systemClock)
  return true
}

export function openLedgerFile(folder: string, { now }: Clock, reader: LogReader<LedgerLine>): Log<LedgerLine> {
  return openFileLog({ generations: createGenerations(folder), form: ledgerForm, now, reader })
}

/** @throws the system's error where it cannot be written */
export function appendForget(folder: string, clock: Clock): void {
  const log = openLedgerFile(folder, clock, { deliver() {}, restart() {} })
  try {
    log.append({ type: 'forget' })
  } finally {
    log.close?.()
  }
}

/** Keeps what an earlier version has counted under another name of this machine, where nothing is counted yet. */
function takeFormerFolder({ folder, baseUrl, apiKey }: SharedLedgerOptions, to: string): void {
  if (existsSync(to)) return
  for (const name of formerAccountHashes(baseUrl, apiKey)) {
    try {
      renameSync(join(folder, 'rate', name), to)
    } catch {
      // Nothing stands there, or another process was faster.
    }
  }
}

/** A key's folder: the same for all who use the key at this address; its name reveals neither. */
export function sharedLedgerFolder({
  folder,
  baseUrl,
  apiKey,
}: Pick<SharedLedgerOptions, 'folder' | 'baseUrl' | 'apiKey'>): string {
  return join(folder, 'rate', accountHash(baseUrl, apiKey))
}
