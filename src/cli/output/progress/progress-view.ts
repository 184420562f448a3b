import { outcomeOf } from '../../batch/records.ts'
import type { BatchStarted, CliEvent } from '../events.ts'
import { createTransferTracker, type TransferTracker } from './transfer-tracker.ts'

/** Shows the progress of a batch of transfers. */
export interface ProgressView {
  start(batch: BatchStarted, transfer: Transferring): void
  report(event: TransferEvent): void
  /** Calls `write`, whose output appears above lines that are redrawn. */
  above(write: () => void): void
  /** Restores the terminal, until {@link resume}. */
  pause(): void
  resume(): void
  end(): void
}

export type Transferring = NonNullable<BatchStarted['transfer']>

export type TransferEvent = Extract<
  CliEvent,
  { type: 'item-started' | 'item-moved' | 'item-wire' | 'item-finished' | 'batch-expected' }
>

/** Shows no progress. */
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

/** Passes an event to the tracker. */
export function track(tracker: TransferTracker, event: TransferEvent, now: number): void {
  if (event.type === 'item-started') tracker.start(event.index, event.name, event.total)
  if (event.type === 'item-moved') tracker.bytes(event.index, event.bytes, event.total, now)
  if (event.type === 'item-wire') tracker.event(event.index, event.event, now)
  if (event.type === 'item-finished') tracker.finish(event.index, outcomeOf(event.record), event.record.upload?.size)
  if (event.type === 'batch-expected') tracker.expect(event.endsAt)
}
