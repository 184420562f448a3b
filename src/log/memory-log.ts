import type { Log, LogReader } from './log.ts'

/** A log of this process only, for when there is no file. */
export function createMemoryLog<Line>(reader: LogReader<Line>): Log<Line> {
  return { read() {}, append: (line) => reader.deliver(line) }
}
