import type { Upload } from '../../index.ts'
import { COLUMN_GAP } from '../terminal/align-columns.ts'
import { hyperlink } from '../terminal/hyperlink.ts'
import { padText, textWidth } from '../terminal/text-width.ts'
import { formatByteSize } from '../words/byte-size.ts'
import { formatDate } from '../words/format.ts'
import { relativeTime } from '../words/relative-time.ts'
import { rawCell, type TerminalViewOptions } from './account-view.ts'

/** What is shown, from the fullest: the first that fits the window is taken. */
const layouts: readonly (readonly string[])[] = [
  ['slug', 'mime_type', 'size', 'views', 'thumbnail', 'created_at', 'url'],
  ['slug', 'mime_type', 'size', 'created_at', 'url'],
  ['slug', 'size', 'created_at', 'url'],
  ['slug', 'mime_type', 'size', 'views', 'thumbnail', 'created_at'],
  ['slug', 'mime_type', 'size', 'created_at'],
  ['slug', 'size', 'created_at'],
  ['slug', 'size'],
  ['slug'],
]

const titles: Readonly<Record<string, string>> = { mime_type: 'TYPE', thumbnail: 'THUMB', created_at: 'CREATED' }
const rightAligned = new Set(['size', 'views', 'likes'])
const gap = ' '.repeat(COLUMN_GAP)

/** How many rows are gathered before the first are shown: a page of the list. */
const ROWS_AT_ONCE = 50

/** A table that grows: its columns are those that fit its first rows, so that a long list can be shown as it comes. */
export function createUploadTable(options: TerminalViewOptions) {
  const { palette, print, traits, now } = options
  let uploads: Upload[] = []
  let columns: readonly Column[] | undefined

  function flush(): void {
    if (uploads.length === 0) return
    const context = { now: now(), unicode: traits.unicode }
    if (columns === undefined) {
      columns = chooseColumns(uploads, context, options)
      print(palette.faint(line(columns, (column) => column.title)))
    }
    const links = traits.hyperlinks
    for (const upload of uploads) print(line(columns, ({ field }) => cellOf(upload, field, context), links && upload))
    uploads = []
  }

  return {
    add(upload: Upload): void {
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
  uploads: readonly Upload[],
  context: CellContext,
  { fields, traits }: TerminalViewOptions,
): readonly Column[] {
  const toColumns = (layout: readonly string[]) => layout.map((field) => columnOf(field, uploads, context))
  if (fields !== undefined) return toColumns(fields)
  // Where the slug is a link, the address need not take the room of three other columns.
  const allowed = traits.hyperlinks
    ? layouts.filter((layout, index) => index === 0 || !layout.includes('url'))
    : layouts
  const fits = (columns: readonly Column[]) =>
    columns.reduce((sum, { width }) => sum + width + COLUMN_GAP, -COLUMN_GAP) <= traits.width()
  return allowed.map(toColumns).find(fits) ?? toColumns(['slug'])
}

function columnOf(field: string, uploads: readonly Upload[], context: CellContext): Column {
  const title = titles[field] ?? field.replaceAll('_', ' ').toUpperCase()
  const widths = uploads.map((upload) => textWidth(cellOf(upload, field, context)))
  return { field, title, width: Math.max(title.length, ...widths) }
}

function line(columns: readonly Column[], cell: (column: Column) => string, linked: Upload | false = false): string {
  const cells = columns.map((column, index) => {
    const side = rightAligned.has(column.field) ? 'left' : 'right'
    const last = index === columns.length - 1 && side === 'right'
    const text = cell(column)
    const filling = last ? text : padText(text, column.width, side)
    return linked && isLink(column.field) ? filling.replace(text, () => hyperlink(text, linked.url)) : filling
  })
  return cells.join(gap).trimEnd()
}

function isLink(field: string): boolean {
  return field === 'slug' || field === 'url'
}

/** A field as people read it. */
function cellOf(upload: Upload, field: string, { now, unicode }: CellContext): string {
  if (field === 'size') return formatByteSize(upload.size)
  if (field === 'created_at') return relativeTime(Date.parse(upload.created_at), now) ?? formatDate(upload.created_at)
  if (field === 'thumbnail') return upload.thumb_url === null ? '-' : unicode ? '✓' : 'yes'
  return rawCell(upload, field) || '-'
}
