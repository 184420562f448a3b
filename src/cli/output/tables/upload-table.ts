import { formatByteSize, formatDate, relativeTime } from '../../format/format.ts'
import type { NamedUpload } from '../fields.ts'
import { fitMiddle, hyperlink, padText, seeable, textWidth } from '../terminal/terminal-text.ts'
import { rawCell, type TerminalViewOptions } from './account-view.ts'
import { COLUMN_GAP, fitWidths, NARROWEST_NAME, rowWidth } from './columns.ts'

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
const rightAligned = new Set(['size', 'views', 'likes'])
const gap = ' '.repeat(COLUMN_GAP)

/** Rows collected before printing, as many as a page of the list has: they determine the column widths. */
const ROWS_AT_ONCE = 50

/** A table that prints rows while a long list is read; the first rows determine its columns. */
export function createUploadTable(options: TerminalViewOptions) {
  const { palette, print, traits, now } = options
  let uploads: NamedUpload[] = []
  let columns: readonly Column[] | undefined
  const cut = (text: string, width: number) => fitMiddle(text, width, traits.unicode ? '…' : '...')

  function flush(): void {
    if (uploads.length === 0) return
    const context = { now: now(), unicode: traits.unicode }
    if (columns === undefined) {
      columns = chooseColumns(uploads, context, options)
      print(palette.faint(line(columns, (column) => column.title, cut)))
    }
    const links = traits.hyperlinks
    for (const upload of uploads) {
      print(line(columns, ({ field }) => cellOf(upload, field, context), cut, links && upload))
    }
    uploads = []
  }

  return {
    add(upload: NamedUpload): void {
      uploads.push(upload)
      if (uploads.length >= ROWS_AT_ONCE) flush()
    },
    flush,
  }
}

interface Column {
  readonly field: string
  readonly title: string
  readonly width: number
}

interface CellContext {
  /** Epoch milliseconds. */
  readonly now: number
  readonly unicode: boolean
}

function chooseColumns(
  uploads: readonly NamedUpload[],
  context: CellContext,
  { fields, traits }: TerminalViewOptions,
): readonly Column[] {
  const toColumns = (layout: readonly string[]) => layout.map((field) => columnOf(field, uploads, context))
  if (fields !== undefined) return squeezed(toColumns(fields), traits.width())
  const isNamed = uploads.some(({ name }) => name)
  // If slugs are clickable, the url column is worth less than the three columns it displaces.
  const isWorth = (layout: readonly string[], index: number) =>
    (isNamed || layout.includes('slug')) && (!traits.hyperlinks || index === 0 || !layout.includes('url'))
  const allowed = layouts.filter(isWorth)
  const candidates = allowed.map((layout) => toColumns(layout.filter((field) => field !== 'name' || isNamed)))
  // A name may be long: it is cut before other columns are left out.
  const least = ({ field, width }: Column) => (field === 'name' ? Math.min(width, NARROWEST_NAME) : width)
  const fits = (columns: readonly Column[]) => rowWidth(columns.map(least)) <= traits.width()
  return squeezed(candidates.find(fits) ?? toColumns(['slug']), traits.width())
}

/** The columns to narrow, in this order: first the least useful, last those that lead to an upload. */
const yieldingFields = ['title', 'name', 'mime_type', 'thumb_url', 'direct_url', 'url', 'created_at', 'slug']
const LEAST_WIDTH = 8

/** Narrows columns until they fit, and drops the last ones if that is not enough. */
function squeezed(columns: readonly Column[], room: number): readonly Column[] {
  const order = yieldingFields.flatMap((name) =>
    columns.flatMap(({ field }, column) => (field === name ? [column] : [])),
  )
  const yielding = order.map((column) => ({ column, least: LEAST_WIDTH }))
  const widths = fitWidths(
    columns.map(({ width }) => width),
    room,
    yielding,
  )
  const narrow = columns.map((column, index) => ({ ...column, width: widths[index] ?? column.width }))
  const count = narrow.findIndex((_, index) => rowWidth(widths.slice(0, index + 1)) > room)
  if (count > 0) return narrow.slice(0, count)
  return count === 0 ? narrow.slice(0, 1).map((column) => ({ ...column, width: room })) : narrow
}

function columnOf(field: string, uploads: readonly NamedUpload[], context: CellContext): Column {
  const title = titles[field] ?? field.replaceAll('_', ' ').toUpperCase()
  const widths = uploads.map((upload) => textWidth(cellOf(upload, field, context)))
  return { field, title, width: Math.max(title.length, ...widths) }
}

/** @param cut cuts a text to its column, since later rows may be wider than the first ones */
function line(
  columns: readonly Column[],
  cell: (column: Column) => string,
  cut: (text: string, width: number) => string,
  linked: NamedUpload | false = false,
): string {
  const cells = columns.map((column, index) => {
    const side = rightAligned.has(column.field) ? 'left' : 'right'
    const last = index === columns.length - 1 && side === 'right'
    const text = cut(cell(column), column.width)
    const filling = last ? text : padText(text, column.width, side)
    return linked && /^(slug|url)$/.test(column.field)
      ? filling.replace(text, () => hyperlink(text, linked.url))
      : filling
  })
  return cells.join(gap).trimEnd()
}

function cellOf(upload: NamedUpload, field: string, { now, unicode }: CellContext): string {
  if (field === 'size') return formatByteSize(upload.size)
  if (field === 'created_at') return relativeTime(Date.parse(upload.created_at), now) ?? formatDate(upload.created_at)
  if (field === 'thumbnail') return upload.thumb_url === null ? '-' : unicode ? '✓' : 'yes'
  return seeable(rawCell(upload, field)) || '-'
}
