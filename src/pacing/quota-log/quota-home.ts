import { type Clock, steadyMs } from '../../clock.ts'
import { createMemoryLog, type Log, type LogReader } from '../../log/log.ts'
import { isGone, type ProcessOwner, thisProcess } from '../../system/process-identity.ts'
import type { QuotaModel } from '../ledger.ts'
import type { LedgerFold } from './ledger-fold.ts'
import { type LedgerLine, lateLine } from './ledger-line.ts'

/** Where the lines of a key's quota are: a file, this process's memory, or a server. */
export interface QuotaHome {
  /** Names this process among all that write there. */
  readonly name: string
  readonly owner: ProcessOwner
  createModel(): QuotaModel
  open(fold: LedgerFold, holder: OwnLines): QuotaLog
}

/** What the ledger of this process holds. */
export interface OwnLines {
  /**
   * What the log lacks of that: its file was removed, its server has lost it, another log took its place, an answer was lost.
   * @param isAnother whether the lines were dated by the time of another log, and are dated now
   */
  missing(isAnother: boolean): readonly LedgerLine[]
  /** Whether no request is under way or waits. */
  isIdle(): boolean
}

/** A home that is open. It never fails: what cannot be kept there is kept elsewhere. */
export interface QuotaLog {
  /** Whether reading costs next to nothing. Then `read` is done when it returns. */
  readonly isNear: boolean
  /** Delivers what is new to the fold, after what is missing was added. */
  read(): Promise<void>
  /** Does the same, and appends lines. `isOptional`: a server that cannot be reached need not have them. */
  append(lines: readonly LedgerLine[], isOptional?: boolean): Promise<void>
  /** The time by which lines are dated, in epoch milliseconds. */
  now(): number
  /** What that time differs from this machine's clock, in milliseconds. */
  aheadMs(): number
  /** Nothing may be reserved until then. */
  restsUntil(): number
  /** When it was read last, by the clock's monotonic time. */
  readAt(): number
  /** How often a wait reads it. @param leftMs of the wait, if that is known @param ahead how many wait before it */
  pollMs(leftMs: number | undefined, ahead: number): number
  /** From now on files are open only while a request is under way. */
  close(): void
}

export interface LogHomeOptions {
  readonly name: string
  readonly clock: Clock
  readonly createModel: () => QuotaModel
  readonly openLog: (reader: LogReader<LedgerLine>) => Log<LedgerLine>
  /** Called once with the reason when the log cannot be used; until it can, one in memory replaces it. */
  readonly onProblem: (reason: string) => void
  /** Default: this process. */
  readonly owner?: ProcessOwner | undefined
  /** Default: asks the system. */
  readonly hasEnded?: ((owner: ProcessOwner, ageMs: number) => boolean) | undefined
}

/** A process that counts alone tries the log again this often, until it has counted more lines alone. */
const ALONE_MS = 60_000
const MOST_ALONE = 10_000
/** How often a wait for a request under way reads the log for an ending by another process. */
const POLL_MS = 150
/** The same while the end of the wait is known. */
const IDLE_POLL_MS = 1_000

/** A home on this machine: a log that is opened at its first use. */
export function createLogHome(options: LogHomeOptions): QuotaHome {
  const { name, createModel, owner = thisProcess() } = options
  return { name, owner, createModel, open: (fold, holder) => openLogHome({ ...options, owner }, fold, fold, holder) }
}

/** @param reader gets the lines, and passes them on to the fold */
export function openLogHome(
  options: LogHomeOptions,
  reader: LogReader<LedgerLine>,
  fold: LedgerFold,
  { missing, isIdle }: OwnLines,
): QuotaLog {
  const { clock, openLog, onProblem, owner = thisProcess() } = options
  const hasEnded = options.hasEnded ?? ((other, ageMs) => isGone(other, ageMs, owner))
  let log: Log<LedgerLine> | undefined
  let [isClosing, wasClosed, isTold] = [false, false, false]
  /** What was counted since the log could not be used, which is tried again then by the monotonic time. */
  let alone: LedgerLine[] | undefined
  let triesAt = 0
  let readAt = Number.NEGATIVE_INFINITY

  /** Works on the log; if that fails, repeats the work on a log in memory, which cannot fail. */
  function use(work: (log: Log<LedgerLine>) => void): void {
    try {
      log ??= openLog(reader)
      if (wasClosed) reader.restart()
      wasClosed = false
      work(log)
    } catch (error) {
      if (!isTold) onProblem(error instanceof Error ? error.message : String(error))
      ;[isTold, wasClosed] = [true, false]
      closeQuietly(log)
      alone = []
      triesAt = steadyMs(clock) + ALONE_MS
      log = createMemoryLog(reader)
      work(log)
    }
  }

  /** What was counted alone is dated now: before the lines of others it would look like a clock that was set back. */
  function tryAgain(lines: LedgerLine[]): void {
    let again: Log<LedgerLine> | undefined
    triesAt = readAt + ALONE_MS
    try {
      again = openLog({ deliver() {}, restart() {} })
      for (; lines[0] !== undefined; lines.shift()) again.append(lateLine(lines[0], clock.now()))
      ;[alone, log, wasClosed] = [undefined, undefined, true]
    } catch {
      // It cannot be used yet.
    } finally {
      closeQuietly(again)
    }
  }

  const appendAll = (lines: readonly LedgerLine[]) => {
    for (const line of lines) {
      use((current) => current.append(line))
      if (alone && alone.length <= MOST_ALONE) alone.push(line)
    }
  }

  /** A log that is opened again is read from its beginning; until then the fold says what it said. */
  function closeIfIdle(): void {
    if (!isClosing || !isIdle() || log?.close === undefined) return
    log.close()
    log = undefined
    wasClosed = true
  }

  function catchUp(): void {
    readAt = steadyMs(clock)
    if (alone && readAt >= triesAt && alone.length <= MOST_ALONE) tryAgain(alone)
    use((current) => current.read())
    appendAll(missing(false))
  }

  /** Requests of a process that has ended may have been charged until now, so they count as charged now. */
  function endOthers(): void {
    const now = clock.now()
    const isLeft = ({ owner: other, at }: { readonly owner: ProcessOwner; readonly at: number }) =>
      hasEnded(other, now - at)
    const charged = [...fold.inFlight.values()].filter(isLeft)
    appendAll(charged.map(({ id }) => ({ type: 'settle', id, outcome: { type: 'unanswered', at: now } })))
    appendAll(fold.waiting().flatMap((place) => (isLeft(place) ? { type: 'cancel', id: place.id } : [])))
  }

  return {
    isNear: true,
    async read() {
      catchUp()
      endOthers()
      closeIfIdle()
    },
    async append(lines) {
      catchUp()
      appendAll(lines)
      closeIfIdle()
    },
    now: () => clock.now(),
    aheadMs: () => 0,
    restsUntil: () => Number.NEGATIVE_INFINITY,
    readAt: () => readAt,
    pollMs: (leftMs) => (leftMs === undefined ? POLL_MS : IDLE_POLL_MS),
    close() {
      isClosing = true
      closeIfIdle()
    },
  }
}

/** It may be a file that cannot be written. */
function closeQuietly(log: Log<LedgerLine> | undefined): void {
  try {
    log?.close?.()
  } catch {}
}
