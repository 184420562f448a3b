import { counted } from '../../protocol/quantities.ts'
import { formatByteSize } from '../format/format.ts'
import { doneLine } from './plan-text.ts'

/** What deleting uploads takes. */
export interface DeletionPlan {
  readonly count: number
  /** Undefined where their sizes are not known. */
  readonly bytes: number | undefined
  readonly units: number
  /** Epoch milliseconds; undefined where no quota makes it long. */
  readonly endsAt: number | undefined
}

/** `402 units; done 17:45, 12 min from now` */
export function costText({ units, endsAt }: DeletionPlan, now: number): string {
  return [counted(units, 'unit'), ...(endsAt === undefined ? [] : [doneLine(endsAt, now)])].join('; ')
}

/** `134 uploads, 1.2 GB, 402 units; done 17:45, 12 min from now` */
export function deletionText(plan: DeletionPlan, now: number): string {
  const { count, bytes } = plan
  return [counted(count, 'upload'), ...(bytes === undefined ? [] : [formatByteSize(bytes)]), costText(plan, now)].join(
    ', ',
  )
}
