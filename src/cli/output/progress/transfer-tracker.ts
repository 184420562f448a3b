import type { ClientEvent } from '../../../index.ts'
import { type Outcome, outcomeOf } from '../../batch/records.ts'
import type { BatchStarted, CliEvent } from '../events.ts'
import {
  afterBytes,
  afterEvent,
  amongOthers,
  bytesMovedSince,
  isBusy,
  type Transfer,
  type TransferProgress,
} from './transfer-progress.ts'
import { bytesPerSecond, measured, type RateMeter, startRate } from './transfer-rate.ts'

/** `now` is in milliseconds. */
export interface TransferTracker {
  /** @param size in bytes, if known */
  start(index: number, name: string, size?: number): void
  bytes(index: number, moved: number, total: number | undefined, now: number): void
  event(index: number, event: ClientEvent, now: number): void
  /** @param size in bytes, also for a file that did not have to be transferred */
  finish(index: number, outcome: Outcome, size?: number): void
  expect(endsAt: number | undefined): void
  progress(now: number): TransferProgress
}

interface Batch {
  readonly files: number
  /** Total size; undefined if not all sizes are known. */
  readonly bytes: number | undefined
  /** Whether files of the same size are sent one after the other. */
  readonly hasQueue: boolean
}

/** Tracks the progress of each file of a batch. */
export function createTransferTracker(batch: Batch): TransferTracker {
  const transfers = new Map<number, Transfer>()
  const slots: (number | undefined)[] = []
  const outcomes = new Map<Outcome, number>()
  let ended = 0
  let movedBefore = 0
  const sizes = new Map<number, number>()
  let endsAt: number | undefined
  let meter: RateMeter | undefined

  /** Measures what was in transfer until now, before that changes. */
  function measure(now: number, bytes = 0): RateMeter {
    meter = measured(meter ?? startRate(now), now, [...transfers.values()].some(isBusy), bytes)
    return meter
  }

  function change(index: number, after: (transfer: Transfer) => Transfer): void {
    const transfer = transfers.get(index)
    if (transfer !== undefined) transfers.set(index, after(transfer))
  }

  return {
    start(index, name, size) {
      if (size !== undefined) sizes.set(index, size)
      transfers.set(index, { name, size, activity: { type: 'preparing' } })
      const free = slots.indexOf(undefined)
      slots[free === -1 ? slots.length : free] = index
    },
    bytes(index, moved, size, now) {
      const transfer = transfers.get(index)
      measure(now, transfer === undefined ? 0 : bytesMovedSince(transfer, moved))
      change(index, (transfer) => ({ ...transfer, size, activity: afterBytes(transfer.activity, moved, size, now) }))
    },
    event(index, event, now) {
      measure(now)
      change(index, (transfer) => ({ ...transfer, activity: afterEvent(transfer.activity, event, now) }))
    },
    finish(index, outcome, size = transfers.get(index)?.size ?? 0) {
      sizes.set(index, size)
      ended += 1
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      movedBefore += size
      transfers.delete(index)
      const slot = slots.indexOf(index)
      if (slot !== -1) slots[slot] = undefined
    },
    expect(at) {
      endsAt = at
    },
    progress(now) {
      const rate = bytesPerSecond(measure(now))
      const moving = [...transfers.values()]
      const moved = movedBefore + moving.reduce(addMoved, 0)
      const total = batch.bytes ?? (sizes.size === batch.files ? sumOf(sizes.values()) : undefined)
      const shown = slots.map((index) => (index === undefined ? undefined : transfers.get(index)))
      return {
        files: { total: batch.files, ended, outcomes },
        bytes: { total, moved },
        share: total ? moved / total : shareOf(batch.files, ended, moving),
        rate: moving.some(isBusy) ? rate : undefined,
        endsAt,
        slots: shown.map((transfer) => (batch.hasQueue && transfer ? amongOthers(transfer, shown) : transfer)),
      }
    },
  }
}

function sumOf(values: Iterable<number>): number {
  return [...values].reduce((sum, value) => sum + value, 0)
}

/** While sizes are unknown, each file counts the same. */
function shareOf(files: number, ended: number, moving: readonly Transfer[]): number {
  const parts = moving.map((transfer) => (transfer.size ? addMoved(0, transfer) / transfer.size : 0))
  return files === 0 ? 1 : (ended + sumOf(parts)) / files
}

function addMoved(sum: number, { activity, size }: Transfer): number {
  if (activity.type === 'moving') return sum + activity.bytes
  return activity.type === 'storing' || activity.type === 'checking' ? sum + (size ?? 0) : sum
}

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
