import type { PlannedFile, PlannedPart, UploadPlan } from '../batch/batch-plan.ts'
import { formatByteSize } from './format/byte-size.ts'
import { formatClockTime } from './format/clock-time.ts'
import { formatDuration } from './format/duration.ts'
import { counted, printable } from './format/format.ts'
import { alignColumns } from './tables/align-columns.ts'

type Rows = readonly (readonly string[])[]

/** Of the rows of files: name, size, what becomes of it. */
const sizeColumn = 1

/**
 * A plan as people read it; what is refused is told apart from it.
 * @param fitRows makes the rows of files fit where they are shown
 */
export function planLines(
  plan: UploadPlan,
  now: number,
  fitRows: (rows: Rows) => Rows = (rows) => rows,
): readonly string[] {
  const { count, bytes, units, parts, done_at } = plan
  const rows = fitRows(plan.files.flatMap(fileRow))
  const sum = `${counted(count, 'file')}, ${formatByteSize(bytes)}, ${counted(units, 'unit')}`
  const done = done_at === null ? [] : [doneLine(Date.parse(done_at), now)]
  return [
    ...alignColumns(rows, { right: [sizeColumn] }),
    sum,
    ...parts.map((part) => partLine(part, now, parts.length === 1)),
    ...done,
  ]
}

function doneLine(doneAt: number, now: number): string {
  return `done ${formatClockTime(doneAt, now)}, ${formatDuration(Math.max(doneAt - now, 1_000))} from now`
}

function fileRow({ file, status, size, mime_type, upload }: PlannedFile): readonly (readonly string[])[] {
  if (status === 'failed' || size === null) return []
  const fate = {
    planned: mime_type ?? '',
    skipped: `skipped: uploaded before as ${upload?.slug}`,
    unknown: 'may have been uploaded before: the upload finds out, or says so',
  }[status]
  return [[printable(file), formatByteSize(size), printable(fate)]]
}

function partLine({ first, count, starts_at, ends_at, waits_for, paced_by }: PlannedPart, now: number, only: boolean) {
  const which = only ? 'all' : first === 1 ? `first ${counted(count, 'file')}` : `next ${counted(count, 'file')}`
  const endsAt = ends_at === null ? undefined : Date.parse(ends_at)
  const reasons = [
    ...(waits_for === null
      ? []
      : [waits_for === 'service' ? 'when the service is back' : `after the ${waits_for} quota`]),
    ...(paced_by === null || paced_by === waits_for ? [] : [`paced by the ${paced_by} quota`]),
  ]
  return [`${which}: ${spanText(Date.parse(starts_at), endsAt, now)}`, ...reasons].join(', ')
}

/** From when to when; one time where both are told alike, and no end where nothing tells it. */
function spanText(startsAt: number, endsAt: number | undefined, now: number): string {
  if (endsAt === undefined) return 'now, as fast as the link allows'
  const [start, end] = [formatClockTime(startsAt, now), formatClockTime(endsAt, now)]
  if (startsAt - now < 1_000) return `now to ${end}`
  return start === end ? `at ${start}` : `from ${start} to ${end}`
}
