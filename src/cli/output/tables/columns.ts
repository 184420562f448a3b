import type { TerminalTraits } from '../terminal/terminal.ts'
import { fitMiddle, fitText, padText, textWidth } from '../terminal/terminal-text.ts'

const GAP = 2

/**
 * Rows as lines with aligned columns; the last column is not padded.
 * @param right the right-aligned columns, counted from 0: columns of numbers
 * @param widths of the columns; default: as wide as their cells
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  { right = [], widths = columnWidths(rows) }: { right?: readonly number[]; widths?: readonly number[] } = {},
): readonly string[] {
  const aligned = (cell: string, column: number, last: boolean) => {
    if (right.includes(column)) return padText(cell, widths[column] ?? 0, 'left')
    return last ? cell : padText(cell, widths[column] ?? 0)
  }
  return rows.map((row) =>
    row
      .map((cell, column) => aligned(cell, column, column === row.length - 1))
      .join(' '.repeat(GAP))
      .trimEnd(),
  )
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
  return widths
}

/** A column to narrow, to its least width. */
export interface Yielding {
  readonly column: number
  readonly least: number
}

/** Narrows columns, in this order, until a row fits the width of the terminal. */
export function fitWidths(widths: readonly number[], room: number, yielding: readonly Yielding[]): readonly number[] {
  const fitted = [...widths]
  for (const { column, least } of yielding) {
    const width = fitted[column] ?? 0
    const excess = rowWidth(fitted) - room
    if (excess > 0) fitted[column] = Math.max(width - excess, Math.min(width, least))
  }
  return fitted
}

export function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP)
}

/** Names are first cut to this width. */
export const NARROWEST_NAME = 12

/**
 * Cuts the rows of a table to the width of the terminal: first the names in the first column, then the last column, then
 * the names once more.
 */
export function fitRows(
  rows: readonly (readonly string[])[],
  { width, unicode }: TerminalTraits,
): readonly (readonly string[])[] {
  const natural = columnWidths(rows)
  const last = natural.length - 1
  const yielding = [
    { column: 0, least: NARROWEST_NAME },
    { column: last, least: NARROWEST_NAME },
    { column: 0, least: 4 },
  ]
  const widths = fitWidths(natural, width(), yielding)
  const cut = (cell: string, column: number) => {
    if (column === 0) return fitMiddle(cell, widths[0] ?? 0, unicode)
    return column === last ? fitText(cell, widths[last] ?? 0, unicode) : cell
  }
  return rows.map((row) => row.map(cut))
}
