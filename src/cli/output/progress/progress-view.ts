import { outcomeOf } from '../../batch/records.ts'
import type { BatchStarted, CliEvent } from '../events.ts'
import { createTransferTracker, type TransferTracker } from './transfer-tracker.ts'

/** Shows how the moving of files goes on, until it is ended. */
export interface ProgressView {
  /** @param transfer of a batch that moves files */
  start(batch: BatchStarted, transfer: Transferring): void
  report(event: TransferEvent): void
  /** Lets something else be written: above, where lines are drawn anew. */
  above(write: () => void): void
  /** Gives the terminal back as it was, until {@link resume}. */
  pause(): void
  resume(): void
  end(): void
}

export type Transferring = NonNullable<BatchStarted['transfer']>

export type TransferEvent = Extract<
  CliEvent,
  { type: 'item-started' | 'item-moved' | 'item-wire' | 'item-finished' | 'batch-expected' }
>

/** Where nothing is shown of it. */
export const noProgress: ProgressView = {
  start() {},
  report() {},
  above: (write) => write(),
  pause() {},
  resume() {},
  end() {},
}

export function trackerOf({ total }: BatchStarted, { bytes, verb }: Transferring): TransferTracker {
  return createTransferTracker({ files: total, bytes, hasQueue: verb === 'uploaded' })
}

/** Puts an event into the account. */
export function track(tracker: TransferTracker, event: TransferEvent, now: number): void {
  if (event.type === 'item-started') tracker.start(event.index, event.name, event.total)
  if (event.type === 'item-moved') tracker.bytes(event.index, event.bytes, event.total, now)
  if (event.type === 'item-wire') tracker.event(event.index, event.event, now)
  if (event.type === 'item-finished') tracker.finish(event.index, outcomeOf(event.record), event.record.upload?.size)
  if (event.type === 'batch-expected') tracker.expect(event.endsAt)
}
