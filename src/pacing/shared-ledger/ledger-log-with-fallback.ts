import type { LedgerFold } from './ledger-fold.ts'
import { createMemoryLog, type LedgerLog, type LedgerReader } from './ledger-log.ts'

export interface FallbackOptions {
  readonly openLog: (reader: LedgerReader) => LedgerLog
  /** Called with the reason when the log can no longer be used; one in memory replaces it. */
  readonly onProblem: (reason: string) => void
}

/** A log that is opened at its first use. */
export interface LogWithFallback {
  /** Works on the log; if that fails, repeats the work on a log in memory, which cannot fail. */
  use<T>(work: (log: LedgerLog) => T): T
  /** From now on the log is open only while a request is under way. */
  close(): void
}

/** @param isIdle whether no request of this process is under way */
export function createLogWithFallback(
  { openLog, onProblem }: FallbackOptions,
  fold: LedgerFold,
  isIdle: () => boolean,
): LogWithFallback {
  let log: LedgerLog | undefined
  let isClosing = false

  /** A reopened log is read from its beginning. */
  function closeIfIdle(): void {
    if (!isClosing || !isIdle() || log?.close === undefined) return
    log.close()
    log = undefined
    fold.restart()
  }

  return {
    use(work) {
      try {
        log ??= openLog(fold)
        return work(log)
      } catch (error) {
        onProblem(error instanceof Error ? error.message : String(error))
        log = createMemoryLog(fold)
        return work(log)
      } finally {
        closeIfIdle()
      }
    },
    close() {
      isClosing = true
      closeIfIdle()
    },
  }
}
