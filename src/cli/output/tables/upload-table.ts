import { formatByteSize, formatDate, relativeTime } from '../../format/format.ts'
import type { Page } from '../events.ts'
import type { NamedUpload } from '../fields.ts'
import { alignColumns, columnWidths, fitWidths, LEAST_WIDTH, rawCell, rowWidth } from '../terminal/terminal-text.ts'

const narrowest = ['slug', 'name', 'size']
/** The first one that fits the terminal is used, where long names are cut: the address of a page ends with the slug. */
const layouts = [
  ['slug', 'name', 'mime_type', 'size', 'views', 'created_at', 'url'],
  ['slug', 'name', 'size', 'created_at', 'url'],
  ['name', 'size', 'created_at', 'url'],
  ['name', 'size', 'url'],
  ['slug', 'name', 'size', 'created_at'],
]
const titles: Readonly<Record<string, string>> = { mime_type: 'TYPE', created_at: 'CREATED' }
const numbers = ['size', 'views', 'likes']

/** Uploads collected before printing, as many as a page of the list has: they determine the columns. */
const ROWS_AT_ONCE = 50

/** Prints uploads while a long list is read: on a terminal a table, whose columns the first ones determine. */
export function createUploadTable(page: Page, print: (line: string) => void) {
  const { width: room, palette, now } = page
  const waiting: NamedUpload[] = []
  let columns: { readonly fields: readonly string[]; readonly widths: readonly number[] } | undefined

  function flush(): void {
    const uploads = waiting.splice(0)
    if (room === undefined || uploads.length === 0) return
    const rowsOf = (fields: readonly string[]) => [
      fields.map((field) => titles[field] ?? field.replaceAll('_', ' ').toUpperCase()),
      ...uploads.map((upload) => fields.map((field) => cell(upload, field, now))),
    ]
    const isFirst = columns === undefined
    columns ??= fitted((fields) => columnWidths(rowsOf(fields)), room, page.fields)
    const { fields, widths } = columns
    const right = [...fields.keys()].filter((column) => numbers.includes(fields[column] ?? ''))
    const [heading = '', ...lines] = alignColumns(rowsOf(fields), right, widths)
    if (isFirst) print(palette.faint(heading))
    lines.forEach(print)
  }

  return {
    flush,
    add(upload: NamedUpload): void {
      const { fields = ['slug', 'url'] } = page
      if (room === undefined) print(fields.map((field) => rawCell(upload, field)).join('\t'))
      else if (waiting.push(upload) >= ROWS_AT_ONCE) flush()
    },
  }
}

/** The fields asked for, else those of the first layout that fits. */
function fitted(
  widthsOf: (fields: readonly string[]) => readonly number[],
  room: number,
  asked: readonly string[] | undefined,
) {
  const isWhole = (fields: readonly string[]) => {
    const name = fields.indexOf('name')
    const least = widthsOf(fields).map((width, column) => (column === name ? Math.min(width, LEAST_WIDTH) : width))
    return rowWidth(least) <= room
  }
  const fields = asked ?? layouts.find(isWhole) ?? narrowest
  return { fields, widths: fitWidths(widthsOf(fields), room, fields.indexOf('name')) }
}

function cell(upload: NamedUpload, field: string, now: number): string {
  if (field === 'size') return formatByteSize(upload.size)
  if (field === 'created_at') return relativeTime(Date.parse(upload.created_at), now) ?? formatDate(upload.created_at)
  return rawCell(upload, field) || '-'
}
