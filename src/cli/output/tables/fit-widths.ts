import { COLUMN_GAP } from './align-columns.ts'

/** A column that may be narrowed. */
export interface Yielding {
  readonly column: number
  /** Its minimum width. */
  readonly least: number
}

/**
 * Narrows columns until a row fits the width of the terminal.
 * @param yielding the columns to narrow, in this order
 */
export function fitWidths(widths: readonly number[], room: number, yielding: readonly Yielding[]): readonly number[] {
  const fitted = [...widths]
  for (const { column, least } of yielding) {
    const width = fitted[column] ?? 0
    const excess = rowWidth(fitted) - room
    if (excess > 0) fitted[column] = Math.max(width - excess, Math.min(width, least))
  }
  return fitted
}

/** The width of a row, including the gaps between its columns. */
export function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + COLUMN_GAP, -COLUMN_GAP)
}
