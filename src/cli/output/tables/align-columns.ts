import { padText, textWidth } from '../terminal/text-width.ts'

/** The number of spaces between columns. */
export const COLUMN_GAP = 2

export interface ColumnOptions {
  /** The right-aligned columns, counted from 0: columns of numbers. */
  readonly right?: readonly number[]
}

/** Rows as lines with aligned columns; the last column is not padded. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  { right = [] }: ColumnOptions = {},
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

/** The width of each column's widest cell. */
export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
  return widths
}
