import { counted } from '../../protocol/quantities.ts'
import { formatByteSize, formatClockTime, formatDuration, printable, shownFile } from '../format/format.ts'
import type { PlannedFile, UploadPlan } from './batch-plan.ts'
import { alignColumns } from './tables/columns.ts'

type Rows = readonly (readonly string[])[]

/** The rows of files are: name, size, type or remark. */
const sizeColumn = 1

/**
 * A plan as text, without the refused files, which are reported as failures.
 * @param fitRows cuts the rows of files to the width of the terminal
 */
export function planLines(
  plan: UploadPlan,
  now: number,
  fitRows: (rows: Rows) => Rows = (rows) => rows,
): readonly string[] {
  const { count, bytes, units, bytes_per_second, parts, done_at } = plan
  const rows = fitRows(plan.files.flatMap(fileRow))
  const known = plan.files.filter(({ status }) => status === 'skipped').length
  const already = known === 0 ? '' : `; ${known} already there`
  const unsized = plan.files.filter(({ status, size }) => status === 'planned' && size === null).length
  const more = unsized === 0 ? '' : ` and ${unsized} of unknown size`
  const rate = bytes_per_second === null ? '' : `; at most ${formatByteSize(bytes_per_second)}/s`
  const sum = `${counted(count, 'file')}, ${formatByteSize(bytes)}${more}, ${counted(units, 'unit')}${already}${rate}`
  const done = done_at === null ? [] : [doneLine(Date.parse(done_at), now)]
  return [
    ...alignColumns(rows, { right: [sizeColumn] }),
    sum,
    ...parts.map((part) => partLine(part, now, parts.length === 1)),
    ...done,
  ]
}

/** `done 17:45, 12 min from now` */
export function doneLine(doneAt: number, now: number): string {
  return `done ${formatClockTime(doneAt, now)}, ${formatDuration(Math.max(doneAt - now, 1_000))} from now`
}

function fileRow({ file, status, size, mime_type, slug }: PlannedFile): readonly (readonly string[])[] {
  if (status === 'failed') return []
  const remark = {
    planned: mime_type ?? 'not read yet',
    skipped: `skipped: already there as ${slug}`,
    left_out: 'left out: not accepted',
    unknown: 'may have been uploaded before; the upload checks',
  }[status]
  return [[printable(shownFile(file)), size === null ? '?' : formatByteSize(size), printable(remark)]]
}

type PlannedPart = UploadPlan['parts'][number]

function partLine({ first, count, starts_at, ends_at, waits_for, paced_by }: PlannedPart, now: number, only: boolean) {
  const which = only ? 'all' : first === 1 ? `first ${counted(count, 'file')}` : `next ${counted(count, 'file')}`
  const endsAt = ends_at === null ? undefined : Date.parse(ends_at)
  const reasons = [
    ...(waits_for === null
      ? []
      : [waits_for === 'service' ? 'once the API is enabled again' : `after the ${waits_for} quota`]),
    ...(paced_by === null || paced_by === waits_for ? [] : [`paced by the ${paced_by} quota`]),
  ]
  return [`${which}: ${spanText(Date.parse(starts_at), endsAt, now)}`, ...reasons].join(', ')
}

/** `now to 16:10`, `from 16:10 to 16:20`, or one time if both read the same. */
function spanText(startsAt: number, endsAt: number | undefined, now: number): string {
  if (endsAt === undefined) return 'now, as fast as the network allows'
  const [start, end] = [formatClockTime(startsAt, now), formatClockTime(endsAt, now)]
  if (startsAt - now < 1_000) return `now to ${end}`
  return start === end ? `at ${start}` : `from ${start} to ${end}`
}
