/** Lines of several processes, in the same order for all of them. The order decides what they mean. */
export interface Log<Line> {
  /** Delivers all new lines. */
  read(): void
  /** Appends a line, and delivers all lines before it and the line itself. */
  append(line: Line): void
  /** Absent for a log in memory, which would be lost. */
  close?(): void
}

export interface LogReader<Line> {
  deliver(line: Line): void
  /** Forget all delivered lines; the log then delivers those that still matter. */
  restart(): void
}

/** How lines are written. */
export interface LineForm<Line> {
  /** One line of ASCII without line ends. A truncated one never parses as another line. */
  format(line: Line): string
  /** Undefined for a line torn by a full disk or a kill, or written by another version. */
  parse(text: string): Line | undefined
  /** The lines that still matter. */
  compact(lines: readonly Line[], now: number): readonly Line[]
}

/** A log of this process only, for when there is no file. */
export function createMemoryLog<Line>(reader: LogReader<Line>): Log<Line> {
  return { read() {}, append: (line) => reader.deliver(line) }
}

/** The name of the process that wrote a line, by its id: `<name>.<number>`. */
export function writerOf(id: string): string {
  return id.slice(0, id.lastIndexOf('.'))
}
