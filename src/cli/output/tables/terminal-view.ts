import { counted } from '../../../protocol/quantities.ts'
import { formatByteSize, formatExactDate, relativeTime } from '../../format/format.ts'
import type { QuotaReport } from '../events.ts'
import { type NamedUpload, uploadFields } from '../fields.ts'
import type { Palette } from '../terminal/terminal.ts'
import { gauge, hyperlink, padText } from '../terminal/terminal-text.ts'
import { type AccountView, rawCell, statsRow, type TerminalViewOptions } from './account-view.ts'
import { fitRows } from './columns.ts'
import { createUploadTable } from './upload-table.ts'

/** For terminals: tables that fit the width, readable sizes and dates, clickable links. */
export function createTerminalView(options: TerminalViewOptions): AccountView {
  const { print, fields, palette } = options
  const table = createUploadTable(options)
  const printPairs = (pairs: readonly (readonly [string, string])[]) => {
    // Not Math.max(...): an answer may have more fields than a call may have arguments.
    const width = pairs.reduce((widest, [name]) => Math.max(widest, name.length), 0)
    for (const [name, value] of pairs) print(`${palette.faint(padText(name, width))}  ${value}`)
  }
  return {
    list: table.add,
    endList: table.flush,
    show: (upload) =>
      printPairs((fields ?? fieldsOf(upload)).map((field) => [field, detailOf(upload, field, options)])),
    plan: (lines) => lines((rows) => fitRows(rows, options.traits)).forEach(print),
    stats(stats, quota) {
      const row = fields === undefined ? stats : statsRow(stats, quota, fields)
      printPairs(Object.entries(row).map(([name, value]) => [name, amount(value)]))
      if (fields === undefined) for (const line of quotaLines(quota, options)) print(line)
    },
  }
}

/** The remaining quota of the minute, as a bar and as text. */
function quotaLines(quota: QuotaReport, { palette, traits, now }: TerminalViewOptions): readonly string[] {
  const { limit, remaining } = quota
  if (limit === null || remaining === null) return ['', palette.faint('The service did not report the remaining quota')]
  const share = remaining / Math.max(limit, 1)
  const bar = gauge(share, Math.max(Math.min(traits.width(), 40), 10), traits.unicode)
  const left = `${remaining.toLocaleString('en')} of ${counted(limit, 'unit')} left this minute`
  return ['', colored(palette, share)(bar), `${left}${resetText(quota, now())}`]
}

function amount(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en') : rawCell({ value }, 'value') || '-'
}

function colored(palette: Palette, share: number): (text: string) => string {
  if (share > 0.5) return palette.success
  return share > 0.2 ? palette.warning : palette.error
}

function resetText({ reset_at }: QuotaReport, now: number): string {
  const seconds = reset_at === null ? 0 : Math.ceil((Date.parse(reset_at) - now) / 1_000)
  return seconds > 0 && seconds <= 60 ? `, reset in ${seconds} s` : ''
}

/** The name stands in for a missing title. */
function fieldsOf({ title, name }: NamedUpload): readonly string[] {
  return uploadFields.flatMap((field) => (field === 'title' && !title && name ? ['name', field] : [field]))
}

/** A value with further details: size in bytes, age, link. */
function detailOf(upload: NamedUpload, field: string, { traits, now }: TerminalViewOptions): string {
  const value = rawCell(upload, field)
  if (field === 'size') return sizeDetail(upload.size)
  if (field === 'created_at') return dateDetail(upload.created_at, now())
  if (field === 'thumb_url' && value === '') return '- (not made yet)'
  const isAddress = field.endsWith('url') && traits.hyperlinks
  return isAddress ? hyperlink(value, value) : value || '-'
}

function sizeDetail(size: number): string {
  const text = formatByteSize(size)
  return size < 1_024 ? text : `${text} (${size.toLocaleString('en')} bytes)`
}

function dateDetail(value: string, now: number): string {
  const date = formatExactDate(value)
  const ago = relativeTime(Date.parse(value), now)
  return ago === undefined ? date : `${date} (${ago})`
}
