import { parseJson } from '../../checks/json.ts'
import { soundValue, type TaggedOf, taggedOf } from '../../checks/values.ts'
import { type Dated, logMarks } from '../../log/redis/history.ts'
import { asLedgerLine, datedAt, dateOf, type LedgerLine } from '../quota-log/ledger-line.ts'

const marks = {
  ...logMarks,
  /** What was learned from answers before it is forgotten; what was charged still counts. */
  unlearn: {},
}

/** One line of a fleet's log: a line as in a ledger file, or a mark of the fleet. */
export type FleetLine = LedgerLine | TaggedOf<'type', typeof marks>

const fleetMark = taggedOf('type', marks)

export type DatedLine = Dated<FleetLine>

/**
 * The line dated by its entry: the clocks of machines differ, and a charge that is dated late is safe. Undefined for a line of
 * another version.
 */
export function parseLine(text: string, at: number): DatedLine | undefined {
  const found = parseJson(text)
  const line = asLedgerLine(found)
  const dated = line ? datedAt(line, at) : soundValue(fleetMark, found)
  return dated && { at, line: dated }
}

/** Two lines of one name say the same; of two endings of a request the first counts. */
export function lineName({ line, at }: DatedLine): string {
  if (line.type === 'place') return `place ${line.id} ${line.cost} ${at}`
  if ('id' in line) return `${line.type === 'reserve' ? line.type : 'end'} ${line.id}`
  return `${line.type} ${'runner' in line ? line.runner : ''} ${at}`
}

/** The line with its own date; undefined for a line that has none. */
export function datedLine(line: LedgerLine): DatedLine | undefined {
  const at = dateOf(line)
  return at === undefined ? undefined : { at, line }
}

/** The same line by a clock that is so many milliseconds ahead. */
export function movedLine(line: LedgerLine, ms: number): LedgerLine {
  return datedAt(line, (dateOf(line) ?? 0) + ms)
}
