import { endpoints, type Upload } from '../../index.ts'
import type { PlanPart } from '../../internal.ts'
import type { BatchItem } from '../failures/exit-codes.ts'
import type { Failure } from '../failures/failure.ts'

/** One file of a plan. */
export interface PlannedFile {
  readonly file: string
  /** `planned` would be sent; `skipped` is what an earlier run has stored, `unknown` what it may have. */
  readonly status: 'planned' | 'skipped' | 'unknown' | 'failed'
  /** In bytes; null where the file was refused. */
  readonly size: number | null
  readonly mime_type: string | null
  readonly upload: Upload | null
  readonly error: Failure | null
}

/** What an upload would do, and when. Instants are ISO 8601. */
export interface UploadPlan {
  readonly files: readonly PlannedFile[]
  /** Of the files that would be sent. */
  readonly count: number
  readonly bytes: number
  readonly units: number
  readonly parts: readonly PlannedPart[]
  /** Null where nothing would be sent, or no quota sets the pace. */
  readonly done_at: string | null
}

export interface PlannedPart {
  /** Counted from 1, among the files that would be sent. */
  readonly first: number
  readonly count: number
  readonly starts_at: string
  /** Null where no quota sets the pace: how fast the link is nobody knows. */
  readonly ends_at: string | null
  readonly waits_for: PlanPart['waitsFor']
  readonly paced_by: PlanPart['pacedBy']
}

export function makePlan(files: readonly PlannedFile[], parts: readonly PlanPart[]): UploadPlan {
  const planned = files.filter(({ status }) => status === 'planned')
  const last = parts.at(-1)
  return {
    files,
    count: planned.length,
    bytes: planned.reduce((sum, { size }) => sum + (size ?? 0), 0),
    units: planned.length * endpoints.upload.cost,
    parts: parts.map(({ first, count, startsAt, endsAt, waitsFor, pacedBy }) => ({
      first: first + 1,
      count,
      starts_at: new Date(startsAt).toISOString(),
      ends_at: isPaced({ waitsFor, pacedBy }) ? new Date(endsAt).toISOString() : null,
      waits_for: waitsFor,
      paced_by: pacedBy,
    })),
    done_at: last !== undefined && isPaced(last) ? new Date(last.endsAt).toISOString() : null,
  }
}

/** Whether a quota says when a part ends; else that would tell no more than how long an upload is supposed to take. */
export function isPaced({ waitsFor, pacedBy }: Pick<PlanPart, 'waitsFor' | 'pacedBy'>): boolean {
  return waitsFor !== null || pacedBy !== null
}

/** What the exit code of the plan is made of: that of the upload, were it to go as planned. */
export function plannedItem({ status, error }: PlannedFile): BatchItem {
  return { status: status === 'planned' ? 'uploaded' : status, error }
}
