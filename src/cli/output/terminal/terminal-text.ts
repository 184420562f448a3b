import { printable } from '../../format/format.ts'

/** Before {@link loadWidths} each UTF-16 unit counts as one column. */
let widthOf = (text: string) => text.length

/** Call before columns of names are drawn: loading string-width takes as long as the start of fh. */
export async function loadWidths(): Promise<void> {
  const { default: stringWidth } = await import('string-width')
  widthOf = stringWidth
}

/** Longer than any terminal is wide, in UTF-16 units. Each grapheme of what is measured holds a copy of the whole text. */
const LONGEST_SEEN = 2_048

/** The width of a text in terminal columns: wide characters take two, combining characters and escapes none. */
export function textWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : widthOf(text.slice(0, LONGEST_SEEN))
}

/** A text cut in its middle to fit a width, so that the extension of a file name stays visible. */
export function fitMiddle(whole: string, width: number): string {
  const text = whole.slice(0, LONGEST_SEEN)
  if (textWidth(text) <= width) return text
  // An accent belongs to its letter.
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  const tail = leading(characters.toReversed(), Math.ceil((width - 1) / 2)).toReversed()
  const start = leading(characters, width - 1 - textWidth(tail.join('')))
  return [...start, '…', ...tail].join('')
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

/** A bar that shows a share of a whole, from 0 to 1. @param width in columns, its ends included */
export function gauge(share: number, width: number): string {
  const room = Math.max(width - 2, 0)
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * room)
  return `▕${'█'.repeat(filled)}${'░'.repeat(room - filled)}▏`
}

export function rawCell(values: object, field: string): string {
  const value: unknown = Reflect.get(values, field)
  if (value === null || value === undefined) return ''
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

const GAP = 2

/** @param right the columns of numbers @param widths wider cells are cut in their middle; columns without one are left out */
export function alignColumns(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
  widths = columnWidths(rows),
): readonly string[] {
  const line = (row: readonly string[]) =>
    widths.map((width, column) => {
      const text = row[column] ?? ''
      const cell = textWidth(text) > width ? fitMiddle(text, width) : text
      return padText(cell, width, right.includes(column) ? 'left' : 'right')
    })
  return rows.map((row) => line(row).join(' '.repeat(GAP)).trimEnd())
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
  return widths
}

export const LEAST_WIDTH = 12

/** Makes rows fit: narrows the column `first`, then always the widest; what does not fit even so is left out at the end. */
export function fitWidths(widths: readonly number[], room = Number.POSITIVE_INFINITY, first = -1): readonly number[] {
  const fitted = [...widths]
  for (;;) {
    if (rowWidth(fitted) <= room) return fitted
    const widest = Math.max(...fitted)
    const yielding = (fitted[first] ?? 0) > LEAST_WIDTH ? first : fitted.indexOf(widest)
    if ((fitted[yielding] ?? 0) > LEAST_WIDTH) fitted[yielding] = (fitted[yielding] ?? 0) - 1
    else if (fitted.length > 1) fitted.pop()
    else return [room]
  }
}

export function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP)
}
