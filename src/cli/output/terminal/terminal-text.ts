import { printable } from '../../format/format.ts'
import type { TerminalTraits } from './terminal.ts'

/** Before {@link loadWidths} each UTF-16 unit counts as one column. */
let widthOf = (text: string) => text.length

/**
 * Call before columns of names are drawn. string-width makes an Intl.Segmenter when it is loaded, which takes as long as
 * the start of fh.
 */
export async function loadWidths(): Promise<void> {
  const { default: stringWidth } = await import('string-width')
  widthOf = stringWidth
}

/**
 * Longer than any terminal is wide, in UTF-16 units. Measuring more would waste time and memory: each grapheme holds a copy
 * of the whole text.
 */
const LONGEST_SEEN = 2_048

/** A text, cut to the longest part that can be visible. */
export function seeable(text: string): string {
  return text.slice(0, LONGEST_SEEN)
}

/** The width of a text in terminal columns: wide characters take two, combining characters and escapes none. */
export function textWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : widthOf(seeable(text))
}

/** A text cut at its end to fit a width. @param unicode whether the ellipsis is one character */
export function fitText(text: string, width: number, unicode: boolean): string {
  return cut(text, width, unicode, 0)
}

/** A text cut in its middle to fit a width, so that the extension of a file name stays visible. */
export function fitMiddle(text: string, width: number, unicode = true): string {
  return cut(text, width, unicode, 1 / 2)
}

function cut(whole: string, width: number, unicode: boolean, tailShare: number): string {
  const text = seeable(whole)
  if (textWidth(text) <= width) return text
  const ellipsis = unicode ? '…' : '...'
  // An accent belongs to its letter.
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  const room = width - ellipsis.length
  const tail = leading(characters.toReversed(), Math.ceil(room * tailShare))
    .toReversed()
    .join('')
  return leading(characters, room - textWidth(tail)).join('') + ellipsis + tail
}

function leading(characters: readonly string[], width: number): readonly string[] {
  let used = 0
  const end = characters.findIndex((character) => {
    used += textWidth(character)
    return used > width
  })
  return end === -1 ? characters : characters.slice(0, end)
}

export function padText(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const padding = ' '.repeat(Math.max(width - textWidth(text), 0))
  return side === 'left' ? padding + text : text + padding
}

/**
 * A bar that shows a share of a whole.
 *
 * @param share from 0 to 1; beyond is cut
 * @param width in columns, its ends included
 */
export function gauge(share: number, width: number, unicode: boolean): string {
  const room = width - 2
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * room)
  const [left, full = '', empty = '', right] = unicode ? '▕█░▏' : '[#-]'
  return `${left}${full.repeat(filled)}${empty.repeat(room - filled)}${right}`
}

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
    return room >= Math.min(natural, LEAST_SHOWN) || column === 0 ? [Math.min(natural, room)] : []
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
