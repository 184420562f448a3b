import { endpoints, type Upload } from '../../index.ts'
import type { PlanPart } from '../../internal.ts'
import type { BatchItem } from '../failures/exit-codes.ts'
import type { Failure } from '../failures/failure.ts'
import { isPaced } from './time-ahead.ts'

/** One file of a plan. */
export interface PlannedFile {
  readonly file: string
  /**
   * `planned`: would be sent; `skipped`: the record lists its content; `unknown`: an earlier run may have stored it;
   * `left_out`: a picture or video in a folder, of a type that the service does not take.
   */
  readonly status: 'planned' | 'skipped' | 'unknown' | 'failed' | 'left_out'
  /** In bytes; null if the file was refused, is on a site, or comes from a pipe. */
  readonly size: number | null
  readonly mime_type: string | null
  /** Null also for a file that the record lists: a plan sends nothing, so it does not ask for the upload. */
  readonly upload: Upload | null
  /** The upload that the record lists; for text only. */
  readonly slug?: string
  readonly error: Failure | null
}

/** @param bwlimit bytes per second of all uploads together */
export function makePlan(files: readonly PlannedFile[], parts: readonly PlanPart[], bwlimit?: number) {
  const planned = files.filter(({ status }) => status === 'planned')
  const last = parts.at(-1)
  const isTimed = (part: PlanPart) => bwlimit !== undefined || isPaced(part)
  return {
    files,
    /** Number of files to send. */
    count: planned.length,
    /** Of the files whose size is known. */
    bytes: planned.reduce((sum, { size }) => sum + (size ?? 0), 0),
    units: planned.length * endpoints.upload.cost,
    /** `--bwlimit`, for all uploads together. */
    bytes_per_second: bwlimit ?? null,
    parts: parts.map((part) => ({
      /** Counted from 1, among the files to send. */
      first: part.first + 1,
      count: part.count,
      starts_at: new Date(part.startsAt).toISOString(),
      /** Null if neither a quota nor `--bwlimit` limits the speed: the speed of the link is not known. */
      ends_at: isTimed(part) ? new Date(part.endsAt).toISOString() : null,
      waits_for: part.waitsFor,
      paced_by: part.pacedBy,
    })),
    /** Null if nothing would be sent, or neither a quota nor `--bwlimit` limits the speed. */
    done_at: last !== undefined && isTimed(last) ? new Date(last.endsAt).toISOString() : null,
  }
}

/** The plan of an upload. Times are ISO 8601. */
export type UploadPlan = ReturnType<typeof makePlan>

/** For the exit code of the plan, which is that of the upload if all goes as planned. */
export function plannedItems({ files }: UploadPlan): readonly BatchItem[] {
  return files.flatMap(({ status, error }) =>
    status === 'left_out' ? [] : [{ status: status === 'planned' ? 'uploaded' : status, error }],
  )
}
