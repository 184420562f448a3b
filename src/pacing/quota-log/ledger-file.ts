import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { openFileLog } from '../../log/file-log.ts'
import { createGenerations } from '../../log/generations.ts'
import type { Log, LogReader } from '../../log/log.ts'
import { accountHash } from '../../system/account-hash.ts'
import { createQuotaModel } from '../quota-model/quota-model.ts'
import type { QuotaModelOptions } from '../quota-model/quota-model-options.ts'
import { ledgerForm } from './ledger-compaction.ts'
import { createLedgerFold, type LedgerFold } from './ledger-fold.ts'
import type { LedgerLine } from './ledger-line.ts'

/** What the lines of a ledger add up to: the quota model, and the reservations that have not ended. */
export function foldLedger(lines: readonly LedgerLine[], options: QuotaModelOptions): LedgerFold {
  const fold = createLedgerFold(() => createQuotaModel(options))
  for (const line of lines) fold.deliver(line)
  return fold
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

/** A key's folder of runners that are cut off; its name reveals neither key nor address. */
export function ledgerFolder(folder: string, baseUrl: string, apiKey: string): string {
  return join(folder, 'rate', accountHash(baseUrl, apiKey))
}
