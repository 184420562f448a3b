import type { ClientEvent, PacingWait } from '../../../index.ts'
import type { Outcome } from '../../batch/records.ts'

/** What is happening to one file. Instants are epoch milliseconds. */
export type Activity =
  | { readonly type: 'preparing' }
  /** Another that may look the same to the list is on its way, and goes first. */
  | { readonly type: 'queued' }
  | { readonly type: 'moving'; readonly since: number; readonly from: number; readonly bytes: number }
  /** All of it has left, and the service has not answered yet. */
  | { readonly type: 'storing' }
  | { readonly type: 'waiting'; readonly until: number; readonly wait: Pick<PacingWait, 'window' | 'source'> }
  | { readonly type: 'retrying'; readonly until: number; readonly reason: string }
  /** The list is looked at for what became of it. */
  | { readonly type: 'checking' }

/** One file that is being moved. */
export interface Transfer {
  readonly name: string
  /** In bytes; undefined while nobody knows. */
  readonly size: number | undefined
  readonly activity: Activity
}

/** All files of a run. */
export interface TransferProgress {
  readonly files: {
    readonly total: number
    /** Those that nothing more is done for, however it ended. */
    readonly ended: number
    readonly outcomes: ReadonlyMap<Outcome, number>
  }
  /** Of all files, those done and those on their way; `total` is undefined while not all sizes are known. */
  readonly bytes: { readonly total: number | undefined; readonly moved: number }
  /** How much of the whole is done, from 0 to 1: by bytes, and while not all sizes are known by files and their parts. */
  readonly share: number
  /** When the last one will be there, quota waits included, as far as can be foreseen; epoch milliseconds. */
  readonly endsAt: number | undefined
  /** By slot: a file keeps the line it has while others come and go. */
  readonly slots: readonly (Transfer | undefined)[]
}

/**
 * What a file is doing among the others. Of those that look the same the client sends one after the other; of what it
 * holds back for that it tells nothing, but it takes in hand everything else at once.
 */
export function amongOthers(transfer: Transfer, others: readonly (Transfer | undefined)[]): Transfer {
  const { activity, size } = transfer
  if (activity.type !== 'preparing' || size === undefined) return transfer
  const isQueued = others.some((other) => other?.size === size && other.activity.type !== 'preparing')
  return isQueued ? { ...transfer, activity: { type: 'queued' } } : transfer
}

/** What becomes of an activity when bytes have been handed over. */
export function afterBytes(activity: Activity, bytes: number, size: number | undefined, now: number): Activity {
  if (size !== undefined && bytes >= size) return { type: 'storing' }
  // What was here before counts as moved, but took no time; a file that begins at 0 again starts the clock again.
  const goesOn = activity.type === 'moving' && bytes >= activity.bytes
  const { since, from } = goesOn ? activity : { since: now, from: bytes }
  return { type: 'moving', since, from, bytes }
}

/** What becomes of an activity when the client has told of an event. */
export function afterEvent(activity: Activity, event: ClientEvent, now: number): Activity {
  switch (event.type) {
    case 'wait':
      return { type: 'waiting', until: now + event.delayMs, wait: { window: event.window, source: event.source } }
    case 'retry':
      return { type: 'retrying', until: now + event.delayMs, reason: event.reason }
    case 'request':
      // The only thing an upload asks for besides being taken is the list.
      return event.request.method === 'POST' ? { type: 'moving', since: now, from: 0, bytes: 0 } : { type: 'checking' }
    default:
      return activity
  }
}

/**
 * How long the run still takes: what the quota foresees, or what the link does where that is the slower.
 * @returns milliseconds; undefined where neither tells
 */
export function timeLeft({ bytes, endsAt, slots }: TransferProgress, now: number): number | undefined {
  const rate = slots.reduce((sum, transfer) => sum + ((transfer && rateOf(transfer, now)) ?? 0), 0)
  const byLink = bytes.total === undefined || rate === 0 ? 0 : ((bytes.total - bytes.moved) / rate) * 1_000
  const left = Math.max(byLink, (endsAt ?? now) - now)
  return left > 0 ? left : undefined
}

/** Bytes of this run a second, once there is something to judge by. */
export function rateOf({ activity }: Transfer, now: number): number | undefined {
  if (activity.type !== 'moving') return undefined
  const elapsedMs = now - activity.since
  const bytes = activity.bytes - activity.from
  return elapsedMs < 500 || bytes === 0 ? undefined : (bytes / elapsedMs) * 1_000
}
