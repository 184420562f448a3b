import { formatByteSize, formatDate, relativeTime } from '../../format/format.ts'
import type { Page } from '../events.ts'
import type { NamedUpload } from '../fields.ts'
import type { TerminalTraits } from '../terminal/terminal.ts'
import { alignColumns, columnWidths, fitWidths, rawCell, rowWidth, seeable } from '../terminal/terminal-text.ts'

/** The possible columns, from most to fewest: the first set that fits the terminal is used. */
const layouts: readonly (readonly string[])[] = [
  ['slug', 'name', 'mime_type', 'size', 'views', 'thumbnail', 'created_at', 'url'],
  ['slug', 'name', 'mime_type', 'size', 'created_at', 'url'],
  ['slug', 'name', 'size', 'created_at', 'url'],
  // The address of a page ends with the slug.
  ['name', 'size', 'created_at', 'url'],
  ['name', 'size', 'url'],
  ['slug', 'name', 'mime_type', 'size', 'views', 'thumbnail', 'created_at'],
  ['slug', 'name', 'mime_type', 'size', 'created_at'],
  ['slug', 'name', 'size', 'created_at'],
  ['slug', 'name', 'size'],
  ['slug', 'name'],
  ['slug'],
]

const titles: Readonly<Record<string, string>> = { mime_type: 'TYPE', thumbnail: 'THUMB', created_at: 'CREATED' }
const numbers = ['size', 'views', 'likes']

/** Rows collected before printing, as many as a page of the list has: they determine the column widths. */
const ROWS_AT_ONCE = 50

/** The columns in use, by the names of their fields. */
interface Layout {
  readonly fields: readonly string[]
  readonly widths: readonly number[]
}

/** Prints rows while a long list is read: on a terminal a table, whose columns the first rows determine. */
export class UploadTable {
  readonly #page: Page
  readonly #print: (line: string) => void
  #uploads: NamedUpload[] = []
  #layout: Layout | undefined

  constructor(page: Page, print: (line: string) => void) {
    this.#page = page
    this.#print = print
  }

  add(upload: NamedUpload): void {
    const { terminal, fields = ['slug', 'url'] } = this.#page
    if (terminal === undefined) {
      this.#print(fields.map((field) => rawCell(upload, field)).join('\t'))
      return
    }
    this.#uploads.push(upload)
    if (this.#uploads.length >= ROWS_AT_ONCE) this.flush()
  }

  flush(): void {
    const { terminal, palette, now, fields: asked } = this.#page
    const uploads = this.#uploads.splice(0)
    if (terminal === undefined || uploads.length === 0) return
    const rowsOf = (fields: readonly string[]) => [
      fields.map(titleOf),
      ...uploads.map((upload) => fields.map((field) => cell(upload, field, now, terminal))),
    ]
    const isFirst = this.#layout === undefined
    this.#layout ??= asked === undefined ? usualLayout(uploads, rowsOf, terminal) : askedLayout(asked, rowsOf, terminal)
    const { fields, widths } = this.#layout
    const right = columnsOf(fields, numbers)
    const [heading = '', ...lines] = alignColumns(rowsOf(fields), { right, widths, terminal })
    if (isFirst) this.#print(palette.faint(heading))
    for (const line of lines) this.#print(line)
  }
}

type RowsOf = (fields: readonly string[]) => readonly (readonly string[])[]

function titleOf(field: string): string {
  return titles[field] ?? field.replaceAll('_', ' ').toUpperCase()
}

function cell(upload: NamedUpload, field: string, now: number, { unicode }: TerminalTraits): string {
  if (field === 'size') return formatByteSize(upload.size)
  if (field === 'created_at') return relativeTime(Date.parse(upload.created_at), now) ?? formatDate(upload.created_at)
  if (field === 'thumbnail') return upload.thumb_url === null ? '-' : unicode ? '✓' : 'yes'
  return seeable(rawCell(upload, field)) || '-'
}

/** The first layout that fits; names may be long, and are cut before other columns are left out. */
function usualLayout(uploads: readonly NamedUpload[], rowsOf: RowsOf, terminal: TerminalTraits): Layout {
  const isNamed = uploads.some(({ name }) => name)
  for (const all of layouts) {
    if (!isNamed && !all.includes('slug')) continue
    const fields = all.filter((field) => field !== 'name' || isNamed)
    const widths = fitWidths(columnWidths(rowsOf(fields)), terminal, columnsOf(fields, ['name']))
    if (rowWidth(widths) <= terminal.width()) return { fields, widths }
  }
  return askedLayout(['slug'], rowsOf, terminal)
}

/** The columns to narrow, in this order: first the least useful, last those that lead to an upload. */
const yieldingFields = ['title', 'name', 'mime_type', 'thumb_url', 'direct_url', 'url', 'created_at', 'slug']
const LEAST_WIDTH = 8

function askedLayout(fields: readonly string[], rowsOf: RowsOf, terminal: TerminalTraits): Layout {
  const yielding = columnsOf(fields, yieldingFields)
  return { fields, widths: fitWidths(columnWidths(rowsOf(fields)), terminal, yielding, LEAST_WIDTH) }
}

/** The columns of these names, as far as there are any. */
function columnsOf(fields: readonly string[], names: readonly string[]): readonly number[] {
  return names.map((name) => fields.indexOf(name)).filter((column) => column !== -1)
}
