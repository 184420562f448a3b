import type { Stats } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { formatByteSize, formatExactDate, printable, relativeTime } from '../../format/format.ts'
import type { Page } from '../events.ts'
import { type NamedUpload, pickFields, uploadFields } from '../fields.ts'
import { alignColumns, rawCell } from '../terminal/terminal-text.ts'

/** A field in each line: on a terminal with sizes and times for people, else as the service sent it. */
export function uploadLines(upload: NamedUpload, page: Page): readonly string[] {
  const { fields, width, now } = page
  // Else it is the title.
  const isNamed = width !== undefined && upload.name && !upload.title
  const names = fields ?? (isNamed ? ['name', ...uploadFields] : uploadFields)
  const shown = (field: string) => (width === undefined ? rawCell(upload, field) : detailOf(upload, field, now))
  return pairLines(names, shown, page)
}

/** What the headers of an answer tell of the quota; null where they do not. */
export interface QuotaReport {
  readonly limit: number | null
  readonly remaining: number | null
  readonly reset_at: string | null
  readonly cost: number | null
}

/** Statistics, and what is left of the quota: on a terminal in words, in a pipe a number in each line. */
export function statsLines(stats: Stats, quota: QuotaReport, page: Page): readonly string[] {
  const { fields, width } = page
  const groups: Readonly<Record<string, object>> = { stats, quota }
  const asked = fields ?? (width === undefined ? ['stats', 'quota'] : ['stats'])
  const names = asked.flatMap((field) => Object.keys(groups[field] ?? { [field]: null }))
  const row = pickFields(groups, names)
  const lines = pairLines(names, (name) => rawCell(row, name) || '-', page)
  return width === undefined || fields !== undefined ? lines : [...lines, '', leftText(quota)]
}

function leftText({ limit, remaining }: QuotaReport): string {
  if (limit === null || remaining === null) return 'The service did not report the remaining quota'
  return `${remaining.toLocaleString('en')} of ${counted(limit, 'unit')} left this minute`
}

function pairLines(names: readonly string[], shown: (name: string) => string, { width, palette }: Page) {
  const pairs = names.map((name) => [printable(name), shown(name)])
  if (width === undefined) return pairs.map((pair) => pair.join('\t'))
  return alignColumns(pairs).map((line) => line.replace(/^\S+/, (name) => palette.faint(name)))
}

function detailOf({ size, created_at, ...upload }: NamedUpload, field: string, now: number): string {
  if (field === 'size') return `${formatByteSize(size)} (${counted(size, 'byte')})`
  if (field !== 'created_at') return rawCell(upload, field) || '-'
  const ago = relativeTime(Date.parse(created_at), now)
  return `${formatExactDate(created_at)}${ago === undefined ? '' : ` (${ago})`}`
}
