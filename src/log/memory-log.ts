import type { Log, LogReader } from './log.ts'

/** A log of this process only, for when there is no file. */
export function createMemoryLog<Line>(reader: LogReader<Line>): Log<Line> {
  let next: Line | undefined
  function read(): void {
    const line = next
    next = undefined
    if (line !== undefined) reader.deliver(line)
  }
  return {
    read,
    append(line: Line) {
      read()
      next = line
    },
  }
}

export interface FallbackOptions<Line> {
  readonly openLog: (reader: LogReader<Line>) => Log<Line>
  /** Called with the reason when the log can no longer be used; one in memory replaces it. */
  readonly onProblem: (reason: string) => void
}

/**
 * A log that is opened at its first use.
 * @param isIdle whether no request of this process is under way
 */
export function createLogWithFallback<Line>(
  { openLog, onProblem }: FallbackOptions<Line>,
  reader: LogReader<Line>,
  isIdle: () => boolean,
) {
  let log: Log<Line> | undefined
  let isClosing = false

  /** A reopened log is read from its beginning. */
  function closeIfIdle(): void {
    if (!isClosing || !isIdle() || log?.close === undefined) return
    log.close()
    log = undefined
    reader.restart()
  }

  return {
    /** Works on the log; if that fails, repeats the work on a log in memory, which cannot fail. */
    use<T>(work: (log: Log<Line>) => T): T {
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
    /** From now on the log is open only while a request is under way. */
    close(): void {
      isClosing = true
      closeIfIdle()
    },
  }
}
