import { COLUMN_GAP, columnWidths } from '../terminal/align-columns.ts'
import type { TerminalTraits } from '../terminal/terminal-traits.ts'
import { fitMiddle, padText } from '../terminal/text-width.ts'

/** Below this a name says nothing any more. */
const NARROWEST_NAME = 12

/** Rows of a terminal's table: the names they begin with are cut and padded so that the rows fit the window. */
export function fitRows(rows: readonly (readonly string[])[], traits: TerminalTraits): readonly (readonly string[])[] {
  const [widest = 0, ...others] = columnWidths(rows)
  const room = traits.width() - others.reduce((sum, width) => sum + width + COLUMN_GAP, 0)
  const width = Math.min(widest, Math.max(room, NARROWEST_NAME))
  const ellipsis = traits.unicode ? '…' : '...'
  return rows.map(([name = '', ...rest]) => [padText(fitMiddle(name, width, ellipsis), width), ...rest])
}
