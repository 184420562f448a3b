import type { TerminalTraits } from '../terminal/terminal-traits.ts'
import { fitMiddle, padText, textWidth } from '../terminal/text-width.ts'
import { COLUMN_GAP } from '../words/format.ts'

/** Below this a name says nothing any more. */
const NARROWEST_NAME = 12

/** Rows of a terminal's table: the names they begin with are cut and padded so that the rows fit the window. */
export function fitRows(rows: readonly (readonly string[])[], traits: TerminalTraits): readonly (readonly string[])[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widthOf = (column: number) => rows.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? '')), 0)
  const others = Array.from({ length: Math.max(columns - 1, 0) }, (_, index) => widthOf(index + 1) + COLUMN_GAP)
  const room = traits.width() - others.reduce((sum, width) => sum + width, 0)
  const width = Math.min(widthOf(0), Math.max(room, NARROWEST_NAME))
  const ellipsis = traits.unicode ? '…' : '...'
  return rows.map(([name = '', ...rest]) => [padText(fitMiddle(name, width, ellipsis), width), ...rest])
}
