import type { AppendLog } from '../../system/append-log.ts'
import { compactLines } from './ledger-compaction.ts'
import type { LedgerGenerations } from './ledger-generations.ts'
import { formatLedgerLine, type LedgerLine, parseLedgerLine } from './ledger-line.ts'

/** The lines of a ledger, in the same order for all processes. */
export interface LedgerLog {
  /** Delivers all new lines. */
  read(): void
  /** Appends a line and delivers all lines before it; the next `read` begins with the line itself. */
  append(line: LedgerLine): void
  /** Absent for a log in memory, which would be lost. */
  close?(): void
}

export interface LedgerReader {
  deliver(line: LedgerLine): void
  /** Forget all delivered lines; the log then delivers those that still matter. */
  restart(): void
}

/** A file is compacted when it is longer than this and has doubled since it was created. */
const COMPACT_FROM_BYTES = 65_536

/**
 * A log in files. All its calls throw the system's error where a file cannot be used.
 *
 * @param now epoch milliseconds
 */
export function openFileLog(generations: LedgerGenerations, now: () => number, reader: LedgerReader): LedgerLog {
  let { generation, file } = generations.openNewest()
  let next: string | undefined
  let compactFromBytes = COMPACT_FROM_BYTES

  function take(text: string): void {
    const line = parseLedgerLine(text)
    if (line === undefined) return
    if (line.type === 'seal') continueInNext()
    else if (line.type === 'start') compactFromBytes = Math.max(COMPACT_FROM_BYTES, 2 * line.bytes)
    else reader.deliver(line)
  }

  /** Any process that finds a seal creates the next file, since the one that sealed may have been killed. */
  function continueInNext(): void {
    generations.publish(generation + 1, compacted(file.all(), now()))
    open()
  }

  function open(): void {
    file.close()
    const newest = generations.openNewest()
    generation = newest.generation
    file = newest.file
    next = undefined
    compactFromBytes = COMPACT_FROM_BYTES
    reader.restart()
  }

  function read(): void {
    if (file.isLost()) open()
    for (let text = next ?? file.next(); text !== undefined; text = file.next()) {
      next = undefined
      take(text)
    }
  }

  /** Whether a line appended to this file counts: after a seal it does not. */
  function readUpTo(own: string, added: AppendLog): boolean {
    for (let text = next ?? file.next(); text !== undefined; text = file.next()) {
      next = undefined
      if (text === own && file === added) {
        next = text
        return true
      }
      take(text)
      if (file !== added) return false
    }
    throw new Error('a line that was just written to it is missing')
  }

  return {
    read,
    append(line) {
      read()
      const own = formatLedgerLine(line)
      for (;;) {
        const added = file
        const isFull = added.sizeBytes() > compactFromBytes
        added.append(isFull ? sealLine : own)
        if (isFull) read()
        else if (readUpTo(own, added)) return
      }
    },
    close: () => file.close(),
  }
}

const sealLine = formatLedgerLine({ type: 'seal' })

/** The content of the next file. */
function compacted(texts: readonly string[], now: number): string {
  const content = compactLines(linesBeforeSeal(texts), now)
    .map((line) => `${formatLedgerLine(line)}\n`)
    .join('')
  return `${formatLedgerLine({ type: 'start', bytes: content.length })}\n${content}`
}

/** The lines of a file that count: those before its seal. */
export function linesBeforeSeal(texts: readonly string[]): readonly LedgerLine[] {
  const lines = texts.flatMap((text) => parseLedgerLine(text) ?? [])
  const seal = lines.findIndex((line) => line.type === 'seal')
  return seal < 0 ? lines : lines.slice(0, seal)
}

/** A log of this process only, for when there is no file. */
export function createMemoryLog(reader: LedgerReader): LedgerLog {
  let next: LedgerLine | undefined
  function read(): void {
    const line = next
    next = undefined
    if (line !== undefined) reader.deliver(line)
  }
  return {
    read,
    append(line) {
      read()
      next = line
    },
  }
}

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
  reader: LedgerReader,
  isIdle: () => boolean,
): LogWithFallback {
  let log: LedgerLog | undefined
  let isClosing = false

  /** A reopened log is read from its beginning. */
  function closeIfIdle(): void {
    if (!isClosing || !isIdle() || log?.close === undefined) return
    log.close()
    log = undefined
    reader.restart()
  }

  return {
    use(work) {
      try {
        log ??= openLog(reader)
        return work(log)
      } catch (error) {
        onProblem(error instanceof Error ? error.message : String(error))
        log = createMemoryLog(reader)
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
