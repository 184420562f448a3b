import type { Upload } from '../../index.ts'
import { type ForecastPart, isPaced } from '../../pacing/forecast.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import { counted } from '../../protocol/quantities.ts'
import type { BatchItem } from '../failures/exit-codes.ts'
import type { Failure } from '../failures/failure.ts'
import { formatByteSize, formatClockTime, formatDuration, printable, shownFile } from '../format/format.ts'
import type { Document } from './events.ts'
import { presentFailure } from './json.ts'
import { alignColumns, columnWidths, fitWidths } from './terminal/terminal-text.ts'

/** A file of the plan: docs/schema/plan.json explains its fields, and those of the plan. */
export interface PlannedFile {
  readonly file: string
  /**
   * `planned`: would be sent; `skipped`: the record lists its content; `unknown`: an earlier run may have stored it;
   * `left_out`: a picture or video in a folder, of a type that the service does not take.
   */
  readonly status: 'planned' | 'skipped' | 'unknown' | 'failed' | 'left_out'
  readonly size: number | null
  readonly mime_type: string | null
  readonly upload: Upload | null
  readonly slug?: string
  readonly error: Failure | null
}

export function makePlan(files: readonly PlannedFile[], parts: readonly ForecastPart[], bwlimit?: number) {
  const planned = files.filter(({ status }) => status === 'planned')
  const last = parts.at(-1)
  const isTimed = (part: ForecastPart) => bwlimit !== undefined || isPaced(part)
  return {
    files,
    count: planned.length,
    bytes: planned.reduce((sum, { size }) => sum + (size ?? 0), 0),
    units: planned.length * endpoints.upload.cost,
    bytes_per_second: bwlimit ?? null,
    parts: parts.map((part) => ({
      first: part.first + 1,
      count: part.count,
      starts_at: new Date(part.startsAt).toISOString(),
      ends_at: isTimed(part) ? new Date(part.endsAt).toISOString() : null,
      waits_for: part.waitsFor,
      paced_by: part.pacedBy,
    })),
    done_at: last !== undefined && isTimed(last) ? new Date(last.endsAt).toISOString() : null,
  }
}

export type UploadPlan = ReturnType<typeof makePlan>

/** For the exit code of the plan, which is that of the upload if all goes as planned. */
export function plannedItems({ files }: UploadPlan): readonly BatchItem[] {
  return files.flatMap(({ status, error }) =>
    status === 'left_out' ? [] : [{ status: status === 'planned' ? 'uploaded' : status, error }],
  )
}

/** A plan, without the refused files in its text: they are reported as failures. */
export function planDocument(plan: UploadPlan, now: number): Document {
  const files = plan.files.map((file) => ({ ...file, error: file.error && presentFailure(file.error) }))
  return { data: { ...plan, files }, text: ({ width }) => planLines(plan, now, width) }
}

function planLines(plan: UploadPlan, now: number, width: number | undefined): readonly string[] {
  const { count, bytes, units, bytes_per_second } = plan
  const rows = plan.files.flatMap(fileRow)
  const [nameColumn, sizeColumn] = [0, 1]
  const widths = fitWidths(columnWidths(rows), width, nameColumn)
  const known = plan.files.filter(({ status }) => status === 'skipped').length
  const already = known === 0 ? '' : `; ${known} already there`
  const unread = plan.files.filter(({ status, size }) => status === 'planned' && size === null).length
  const others = unread === 0 ? '' : ` and ${unread} of unknown size`
  const rate = bytes_per_second === null ? '' : `; at most ${formatByteSize(bytes_per_second)}/s`
  return [
    ...alignColumns(rows, [sizeColumn], widths),
    `${counted(count, 'file')}, ${formatByteSize(bytes)}${others}, ${counted(units, 'unit')}${already}${rate}`,
    ...timeLines(plan, now),
  ]
}

/** `starts 17:10, done 17:45, 12 min from now, by the hour quota` */
function timeLines({ parts, done_at }: UploadPlan, now: number): readonly string[] {
  const [first, last] = [parts.at(0), parts.at(-1)]
  if (first === undefined || last === undefined) return []
  if (done_at === null) return ['as fast as the network allows']
  const [startsAt, doneAt] = [Date.parse(first.starts_at), Date.parse(done_at)]
  const starts = startsAt - now < 1_000 ? '' : `starts ${formatClockTime(startsAt, now)}, `
  const done = `done ${formatClockTime(doneAt, now)}, ${formatDuration(Math.max(doneAt - now, 1_000))} from now`
  const window = last.paced_by ?? last.waits_for
  const why = window === 'service' ? ', once the API is enabled again' : `, by the ${window} quota`
  return [`${starts}${done}${window === null ? '' : why}`]
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
