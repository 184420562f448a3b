import type { Stats } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { formatByteSize, formatExactDate, printable, relativeTime } from '../../format/format.ts'
import type { Page } from '../events.ts'
import { type NamedUpload, pickFields, uploadFields } from '../fields.ts'
import { alignColumns, rawCell } from '../terminal/terminal-text.ts'

/** The quota according to the headers of an answer; null for a missing header. */
export interface QuotaReport {
  readonly limit: number | null
  readonly remaining: number | null
  readonly reset_at: string | null
  readonly cost: number | null
}

/** A field in each line: on a terminal in columns, with sizes and times for people, else as the service sent it. */
export function uploadLines(upload: NamedUpload, { fields, width, palette, now }: Page): readonly string[] {
  if (width === undefined) return (fields ?? uploadFields).map((field) => `${field}\t${rawCell(upload, field)}`)
  // Else it is the title.
  const usual = upload.name && !upload.title ? ['name', ...uploadFields] : uploadFields
  return pairLines(
    (fields ?? usual).map((field) => [field, detailOf(upload, field, now)]),
    palette,
  )
}

/** Statistics, and what is left of the quota. */
export function statsLines(stats: Stats, quota: QuotaReport, page: Page): readonly string[] {
  const { fields = ['stats', 'quota'], width, palette } = page
  const groups: Readonly<Record<string, object>> = { stats, quota }
  const names = fields.flatMap((field) => Object.keys(groups[field] ?? { [field]: null }))
  const row = pickFields(groups, names)
  const pairs = names.map((name) => [printable(name), rawCell(row, name) || '-'] as const)
  return width === undefined ? pairs.map((pair) => pair.join('\t')) : pairLines(pairs, palette)
}

function pairLines(pairs: readonly (readonly [string, string])[], { faint }: Page['palette']): readonly string[] {
  return alignColumns(pairs).map((line) => line.replace(/^\S+/, (name) => faint(name)))
}

function detailOf({ size, created_at, ...upload }: NamedUpload, field: string, now: number): string {
  if (field === 'size') return `${formatByteSize(size)} (${counted(size, 'byte')})`
  if (field !== 'created_at') return rawCell(upload, field) || '-'
  const ago = relativeTime(Date.parse(created_at), now)
  return `${formatExactDate(created_at)}${ago === undefined ? '' : ` (${ago})`}`
}
