import { formatByteSize, formatDate, relativeTime } from '../../format/format.ts'
import type { Page } from '../events.ts'
import type { NamedUpload } from '../fields.ts'
import type { TerminalTraits } from '../terminal/terminal.ts'
import { fitMiddle, seeable } from '../terminal/terminal-text.ts'
import { rawCell } from './account-text.ts'
import { alignColumns, columnWidths, fitWidths, NARROWEST_NAME, rowWidth } from './columns.ts'

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
    const cellOf = (upload: NamedUpload, field: string) => cell(upload, field, now, terminal)
    const isFirst = this.#layout === undefined
    this.#layout ??=
      asked === undefined ? chosen(uploads, cellOf, terminal) : squeezed(asked, uploads, cellOf, terminal)
    const { fields, widths } = this.#layout
    const rows = uploads.map((upload) => fields.map((field) => cellOf(upload, field)))
    // Later rows may be wider than the first ones.
    const cut = (row: readonly string[]) =>
      row.map((text, column) => fitMiddle(text, widths[column] ?? 0, terminal.unicode))
    const right = fields.flatMap((field, column) => (numbers.includes(field) ? [column] : []))
    const [heading = '', ...lines] = alignColumns([fields.map(titleOf), ...rows].map(cut), { right, widths })
    if (isFirst) this.#print(palette.faint(heading))
    for (const line of lines) this.#print(line)
  }
}

type CellOf = (upload: NamedUpload, field: string) => string

function titleOf(field: string): string {
  return titles[field] ?? field.replaceAll('_', ' ').toUpperCase()
}

function cell(upload: NamedUpload, field: string, now: number, { unicode }: TerminalTraits): string {
  if (field === 'size') return formatByteSize(upload.size)
  if (field === 'created_at') return relativeTime(Date.parse(upload.created_at), now) ?? formatDate(upload.created_at)
  if (field === 'thumbnail') return upload.thumb_url === null ? '-' : unicode ? '✓' : 'yes'
  return seeable(rawCell(upload, field)) || '-'
}

function widthsOf(fields: readonly string[], uploads: readonly NamedUpload[], cellOf: CellOf): readonly number[] {
  return columnWidths([fields.map(titleOf), ...uploads.map((upload) => fields.map((field) => cellOf(upload, field)))])
}

/** The first layout that fits; names may be long, and are cut before other columns are left out. */
function chosen(uploads: readonly NamedUpload[], cellOf: CellOf, terminal: TerminalTraits): Layout {
  const isNamed = uploads.some(({ name }) => name)
  const candidates = layouts
    .filter((fields) => isNamed || fields.includes('slug'))
    .map((fields) => fields.filter((field) => field !== 'name' || isNamed))
  const fits = (fields: readonly string[]) => {
    const widths = widthsOf(fields, uploads, cellOf)
    const least = widths.map((width, at) => (fields[at] === 'name' ? Math.min(width, NARROWEST_NAME) : width))
    return rowWidth(least) <= terminal.width()
  }
  return squeezed(candidates.find(fits) ?? ['slug'], uploads, cellOf, terminal)
}

/** The columns to narrow, in this order: first the least useful, last those that lead to an upload. */
const yieldingFields = ['title', 'name', 'mime_type', 'thumb_url', 'direct_url', 'url', 'created_at', 'slug']
const LEAST_WIDTH = 8

/** Narrows columns until they fit, and drops the last ones if that is not enough. */
function squeezed(
  fields: readonly string[],
  uploads: readonly NamedUpload[],
  cellOf: CellOf,
  { width }: TerminalTraits,
): Layout {
  const yielding = yieldingFields.flatMap((name) =>
    fields.flatMap((field, column) => (field === name ? [{ column, least: LEAST_WIDTH }] : [])),
  )
  const widths = fitWidths(widthsOf(fields, uploads, cellOf), width(), yielding)
  const [first = 0] = widths
  const kept = fields.filter((_, index) => rowWidth(widths.slice(0, index + 1)) <= width())
  // The first column stays, however narrow the terminal is.
  return kept.length === 0
    ? { fields: fields.slice(0, 1), widths: [Math.min(first, width())] }
    : { fields: kept, widths }
}
