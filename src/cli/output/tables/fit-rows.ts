import type { TerminalTraits } from '../terminal/terminal-traits.ts'
import { fitMiddle, fitText, padText } from '../terminal/text-width.ts'
import { columnWidths } from './align-columns.ts'
import { fitWidths } from './fit-widths.ts'

/** Names are first cut to this width. */
const NARROWEST_NAME = 12

/**
 * Cuts the rows of a table to the width of the terminal: first the names in the first column, then the last column, then
 * the names once more.
 */
export function fitRows(
  rows: readonly (readonly string[])[],
  { width, unicode }: Pick<TerminalTraits, 'width' | 'unicode'>,
): readonly (readonly string[])[] {
  const ellipsis = unicode ? '…' : '...'
  const natural = columnWidths(rows)
  const last = natural.length - 1
  const yielding = [
    { column: 0, least: NARROWEST_NAME },
    { column: last, least: NARROWEST_NAME },
    { column: 0, least: 4 },
  ]
  const widths = fitWidths(natural, width(), yielding)
  const [nameWidth = 0] = widths
  return rows.map(([name = '', ...rest]) => [
    padText(fitMiddle(name, nameWidth, ellipsis), nameWidth),
    ...rest.map((cell, index) => (index + 1 === last ? fitText(cell, widths[last] ?? 0, ellipsis) : cell)),
  ])
}
