import { formatByteSize, formatDate, relativeTime } from '../../format/format.ts'
import type { Page } from '../events.ts'
import type { NamedUpload } from '../fields.ts'
import { alignColumns, columnWidths, fitWidths, LEAST_WIDTH, rawCell, rowWidth } from '../terminal/terminal-text.ts'

const narrowest: readonly string[] = ['slug', 'name', 'size']
/** The possible columns: the first set that fits the terminal is used, where long names are cut. */
const layouts = [
  ['slug', 'name', 'mime_type', 'size', 'views', 'created_at', 'url'],
  ['slug', 'name', 'size', 'created_at', 'url'],
  // The address of a page ends with the slug.
  ['name', 'size', 'created_at', 'url'],
  ['name', 'size', 'url'],
  ['slug', 'name', 'size', 'created_at'],
]

const titles: Readonly<Record<string, string>> = { mime_type: 'TYPE', created_at: 'CREATED' }
const numbers = ['size', 'views', 'likes']

/** Rows collected before printing, as many as a page of the list has: they determine the column widths. */
const ROWS_AT_ONCE = 50

type Row = (fields: readonly string[]) => readonly string[]

/** Prints rows while a long list is read: on a terminal a table, whose columns the first rows determine. */
export class UploadTable {
  readonly #page: Page
  readonly #print: (line: string) => void
  #rows: Row[] = []
  #layout: { readonly fields: readonly string[]; readonly widths: readonly number[] } | undefined

  constructor(page: Page, print: (line: string) => void) {
    this.#page = page
    this.#print = print
  }

  add(upload: NamedUpload): void {
    const { width, fields = ['slug', 'url'], now } = this.#page
    if (width === undefined) this.#print(fields.map((field) => rawCell(upload, field)).join('\t'))
    else this.#rows.push((fields) => fields.map((field) => cell(upload, field, now)))
    if (this.#rows.length >= ROWS_AT_ONCE) this.flush()
  }

  flush(): void {
    const { width, palette } = this.#page
    const rows = this.#rows.splice(0)
    if (width === undefined || rows.length === 0) return
    const isFirst = this.#layout === undefined
    this.#layout ??= this.#layoutOf(rows, width)
    const { fields, widths } = this.#layout
    const right = [...fields.keys()].filter((column) => numbers.includes(fields[column] ?? ''))
    const [heading = '', ...lines] = alignColumns(cellsOf(fields, rows), { right, widths })
    if (isFirst) this.#print(palette.faint(heading))
    for (const line of lines) this.#print(line)
  }

  #layoutOf(rows: readonly Row[], room: number) {
    const widthsOf = (fields: readonly string[]) => columnWidths(cellsOf(fields, rows))
    const isWhole = (fields: readonly string[]) => {
      const least = widthsOf(fields).map((width, column) =>
        fields[column] === 'name' ? Math.min(width, LEAST_WIDTH) : width,
      )
      return rowWidth(least) <= room
    }
    const fields = this.#page.fields ?? layouts.find(isWhole) ?? narrowest
    return { fields, widths: fitWidths(widthsOf(fields), room, fields.indexOf('name')) }
  }
}

/** With the headings. */
function cellsOf(fields: readonly string[], rows: readonly Row[]): readonly (readonly string[])[] {
  const headings = fields.map((field) => titles[field] ?? field.replaceAll('_', ' ').toUpperCase())
  return [headings, ...rows.map((row) => row(fields))]
}

function cell(upload: NamedUpload, field: string, now: number): string {
  if (field === 'size') return formatByteSize(upload.size)
  if (field === 'created_at') return relativeTime(Date.parse(upload.created_at), now) ?? formatDate(upload.created_at)
  return rawCell(upload, field) || '-'
}
