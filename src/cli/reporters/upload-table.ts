import type { Upload } from '../../index.ts'
import { formatByteSize } from '../byte-size.ts'
import { alignColumns, columnWidths, formatDate, printable } from '../format.ts'

const usualColumns = ['slug', 'mime_type', 'size', 'views', 'created_at', 'url']

/** How many rows are gathered before the first are shown: a page of the list. */
const ROWS_AT_ONCE = 50

/** A table that grows: widths are those of its first rows, so that a long list can be shown as it comes. */
export function createUploadTable(
  fields: readonly string[] = usualColumns,
  show: (lines: readonly string[], header: boolean) => void,
) {
  const header = fields.map((field) => field.replaceAll('_', ' ').toUpperCase())
  let rows: string[][] = []
  let widths: readonly number[] | undefined

  function flush(): void {
    if (rows.length === 0) return
    if (widths === undefined) {
      widths = columnWidths([header, ...rows])
      show(alignColumns([header], widths), true)
    }
    show(alignColumns(rows, widths), false)
    rows = []
  }

  return {
    add(upload: Upload): void {
      rows.push(fields.map((field) => cellOf(upload, field)))
      if (rows.length >= ROWS_AT_ONCE) flush()
    },
    flush,
  }
}

/** A field as people read it; for programs see {@link rawCell}. */
export function cellOf(upload: Upload, field: string): string {
  if (field === 'size') return formatByteSize(upload.size)
  if (field === 'created_at') return formatDate(upload.created_at)
  return rawCell(upload, field) || '-'
}

/** A field as the service sent it, safe to print; empty where it is null. */
export function rawCell(values: object, field: string): string {
  const value = (values as Readonly<Record<string, unknown>>)[field]
  if (value === null || value === undefined) return ''
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
