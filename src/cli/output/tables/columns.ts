import type { TerminalTraits } from '../terminal/terminal.ts'
import { fitMiddle, fitText, padText, textWidth } from '../terminal/terminal-text.ts'

export const COLUMN_GAP = 2

/**
 * Rows as lines with aligned columns; the last column is not padded.
 * @param right the right-aligned columns, counted from 0: columns of numbers
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  { right = [] }: { readonly right?: readonly number[] } = {},
): readonly string[] {
  const widths = columnWidths(rows)
  const aligned = (cell: string, column: number, last: boolean) => {
    if (right.includes(column)) return padText(cell, widths[column] ?? 0, 'left')
    return last ? cell : padText(cell, widths[column] ?? 0)
  }
  return rows.map((row) =>
    row
      .map((cell, column) => aligned(cell, column, column === row.length - 1))
      .join(' '.repeat(COLUMN_GAP))
      .trimEnd(),
  )
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
  return widths
}

/**
 * Narrows columns until a row fits the width of the terminal.
 * @param yielding the columns to narrow, in this order, each to its minimum width
 */
export function fitWidths(
  widths: readonly number[],
  room: number,
  yielding: readonly { readonly column: number; readonly least: number }[],
): readonly number[] {
  const fitted = [...widths]
  for (const { column, least } of yielding) {
    const width = fitted[column] ?? 0
    const excess = rowWidth(fitted) - room
    if (excess > 0) fitted[column] = Math.max(width - excess, Math.min(width, least))
  }
  return fitted
}

export function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + COLUMN_GAP, -COLUMN_GAP)
}

/** Names are first cut to this width. */
export const NARROWEST_NAME = 12

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
