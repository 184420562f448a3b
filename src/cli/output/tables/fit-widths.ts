import { COLUMN_GAP } from './align-columns.ts'

/** A column that gives way where a row is wider than the window. */
export interface Yielding {
  readonly column: number
  /** How narrow it may become, in columns of the terminal. */
  readonly least: number
}

/**
 * The widths of columns so that a row of them fits a window: those named give way, one after the other.
 * @param yielding in the order in which they give way
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

/** How wide a row of such columns is. */
export function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + COLUMN_GAP, -COLUMN_GAP)
}
