import { printable } from '../../format/format.ts'
import type { TerminalTraits } from '../terminal/terminal.ts'
import { fitMiddle, padText, textWidth } from '../terminal/terminal-text.ts'

const GAP = 2
/** A narrower column shows nothing. */
const LEAST_SHOWN = 4

interface Columns {
  /** The right-aligned ones, counted from 0: columns of numbers. */
  readonly right?: readonly number[]
  /** Wider cells are cut in their middle. Default: as wide as the widest cell. */
  readonly widths?: readonly number[] | undefined
  /** Leaves out the columns that it has no room for. */
  readonly terminal?: TerminalTraits | undefined
}

/** A field as the service sent it, safe to print; empty for null. */
export function rawCell(values: object, field: string): string {
  const value: unknown = Reflect.get(values, field)
  if (value === null || value === undefined) return ''
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Rows as lines with aligned columns; the last column is not padded. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  { right = [], widths = columnWidths(rows), terminal }: Columns = {},
): readonly string[] {
  const shown = terminal ? visible(widths, terminal.width()) : widths
  const aligned = (text: string, column: number, isLast: boolean) => {
    const width = shown[column] ?? 0
    const cell = textWidth(text) > width ? fitMiddle(text, width, terminal?.unicode) : text
    if (right.includes(column)) return padText(cell, width, 'left')
    return isLast ? cell : padText(cell, width)
  }
  return rows.map((row) => {
    const cells = row.slice(0, shown.length)
    return cells
      .map((text, column) => aligned(text, column, column === cells.length - 1))
      .join(' '.repeat(GAP))
      .trimEnd()
  })
}

/** The widths of the columns that a terminal has room for; the last of them is narrowed. */
function visible(widths: readonly number[], width: number): readonly number[] {
  let left = width
  return widths.flatMap((natural, column) => {
    const room = left
    left -= natural + GAP
    return room >= LEAST_SHOWN || column === 0 ? [Math.min(natural, room)] : []
  })
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
  return widths
}

/** Narrows columns to a least width, in this order, until a row fits the terminal. */
export function fitWidths(
  widths: readonly number[],
  { width }: TerminalTraits,
  columns: readonly number[],
  least = 12,
): readonly number[] {
  const fitted = [...widths]
  for (const column of columns) {
    const natural = fitted[column] ?? 0
    const excess = rowWidth(fitted) - width()
    if (excess > 0) fitted[column] = Math.max(natural - excess, Math.min(natural, least))
  }
  return fitted
}

export function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP)
}
