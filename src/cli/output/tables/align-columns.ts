import { padText, textWidth } from '../terminal/text-width.ts'

/** How many spaces columns are apart. */
export const COLUMN_GAP = 2

export interface ColumnOptions {
  /** The columns of numbers, counted from 0: they end where the widest ends, so that their digits stand in line. */
  readonly right?: readonly number[]
}

/** Rows as lines, their columns padded to one width; the last column is left as long as it is. */
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

/** The widest cell of each column, in columns of a terminal. */
export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
  return widths
}
