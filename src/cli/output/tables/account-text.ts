import type { Stats } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { formatByteSize, formatExactDate, printable, relativeTime } from '../../format/format.ts'
import type { Page } from '../events.ts'
import { type NamedUpload, pickFields, uploadFields } from '../fields.ts'
import { gauge, padText, rawCell } from '../terminal/terminal-text.ts'

/** The quota according to the headers of an answer; null for a missing header. */
export interface QuotaReport {
  readonly limit: number | null
  readonly remaining: number | null
  /** ISO 8601. */
  readonly reset_at: string | null
  readonly cost: number | null
}

/** A field in each line: on a terminal in columns and with details, else as the service sent it. */
export function uploadLines(upload: NamedUpload, { fields, terminal, palette, now }: Page): readonly string[] {
  if (terminal === undefined) return (fields ?? uploadFields).map((field) => `${field}\t${rawCell(upload, field)}`)
  // The name stands in for a missing title.
  const usual = uploadFields.flatMap((field) =>
    field === 'title' && !upload.title && upload.name ? ['name', field] : [field],
  )
  const pairs = (fields ?? usual).map((field) => [field, detailOf(upload, field, now)] as const)
  return pairLines(pairs, palette)
}

/** Statistics, and the quota: on a terminal as a bar, else a number in each line. */
export function statsLines(stats: Stats, quota: QuotaReport, page: Page): readonly string[] {
  const { fields, terminal, palette } = page
  const whole = terminal === undefined ? { ...stats, ...quota } : stats
  const groups: Readonly<Record<string, object>> = { stats, quota }
  const names = fields?.flatMap((field) => Object.keys(groups[field] ?? { [field]: null }))
  const row = names === undefined ? whole : pickFields(groups, names)
  const pairs = Object.entries(row)
  if (terminal === undefined) return pairs.map(([name]) => `${printable(name)}\t${rawCell(row, name) || '-'}`)
  const lines = pairLines(
    pairs.map(([name, value]) => [
      printable(name),
      typeof value === 'number' ? value.toLocaleString('en') : rawCell(row, name) || '-',
    ]),
    palette,
  )
  return fields === undefined ? [...lines, ...gaugeLines(quota, page, terminal)] : lines
}

/** The remaining quota of the minute, as a bar and as text. */
function gaugeLines(
  { limit, remaining, reset_at }: QuotaReport,
  { palette, now }: Page,
  { width, unicode }: NonNullable<Page['terminal']>,
): readonly string[] {
  if (limit === null || remaining === null) return ['', palette.faint('The service did not report the remaining quota')]
  const share = remaining / Math.max(limit, 1)
  const colored = share > 0.5 ? palette.success : share > 0.2 ? palette.warning : palette.error
  const seconds = reset_at === null ? 0 : Math.ceil((Date.parse(reset_at) - now) / 1_000)
  const reset = seconds > 0 && seconds <= 60 ? `, reset in ${seconds} s` : ''
  return [
    '',
    colored(gauge(share, Math.max(Math.min(width(), 40), 10), unicode)),
    `${remaining.toLocaleString('en')} of ${counted(limit, 'unit')} left this minute${reset}`,
  ]
}

function pairLines(
  pairs: readonly (readonly [string, string])[],
  { faint }: Pick<Page['palette'], 'faint'>,
): readonly string[] {
  // Not Math.max(...): an answer may have more fields than a call may have arguments.
  const width = pairs.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return pairs.map(([name, value]) => `${faint(padText(name, width))}  ${value}`)
}

/** A value with further details: size in bytes, age. */
function detailOf({ size, created_at, ...upload }: NamedUpload, field: string, now: number): string {
  if (field === 'size') {
    const text = formatByteSize(size)
    return size < 1_024 ? text : `${text} (${size.toLocaleString('en')} bytes)`
  }
  if (field === 'created_at') {
    const ago = relativeTime(Date.parse(created_at), now)
    return `${formatExactDate(created_at)}${ago === undefined ? '' : ` (${ago})`}`
  }
  return rawCell(upload, field) || (field === 'thumb_url' ? '- (not made yet)' : '-')
}
