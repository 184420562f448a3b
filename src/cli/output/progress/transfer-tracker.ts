import type { ClientEvent } from '../../../index.ts'
import type { OutcomeWord } from '../batch-text.ts'
import type { Forecast, Waiting } from '../time-ahead.ts'
import { createCountdowns } from './countdown.ts'
import {
  afterBytes,
  afterEvent,
  bytesMovedSince,
  bytesPerSecond,
  isOnWire,
  measured,
  proven,
  type RateMeter,
  startRate,
  type Transfer,
  trafficOf,
  waitLeft,
} from './transfer-progress.ts'

/**
 * Tracks the progress of each file of a batch. `now` is in milliseconds.
 * @param batch `sizes`: in bytes, undefined where one is not known
 */
export function createTransferTracker(batch: {
  readonly files: number
  readonly sizes: readonly (number | undefined)[]
}) {
  const transfers = new Map<number, Transfer>()
  const slots: (number | undefined)[] = []
  const outcomes = new Map<OutcomeWord, number>()
  let movedBefore = 0
  const sizes = new Map(batch.sizes.entries())
  const finished = new Set<number>()
  const countdowns = createCountdowns()
  let forecast: Forecast | undefined
  let meter: RateMeter | undefined
  /** Of the whole batch, without the time in which nothing was in transfer. */
  const sum = { bytes: 0, ms: 0 }

  /** Measures what was in transfer until now, before that changes. */
  function measure(now: number, bytes = 0): RateMeter {
    const traffic = trafficOf([...transfers.values()])
    const before = meter ?? startRate(now)
    sum.bytes += bytes
    if (traffic !== 'none') sum.ms += Math.max(now - before.at, 0)
    meter = measured(before, now, traffic, bytes)
    return meter
  }

  function change(index: number, after: (transfer: Transfer) => Transfer): void {
    const transfer = transfers.get(index)
    if (transfer !== undefined) transfers.set(index, after(transfer))
  }

  /** What is not on the wire: files that have begun and wait, and those after them. */
  function waiting(now: number): readonly Waiting[] {
    return Array.from({ length: batch.files }, (_, index) => index).flatMap((index) => {
      const transfer = transfers.get(index)
      if (finished.has(index) || (transfer && isOnWire(transfer))) return []
      return [{ index, bytes: sizes.get(index), waitMs: transfer ? waitLeft(transfer, now) : 0 }]
    })
  }

  return {
    /** @param size in bytes, if known */
    start(index: number, name: string, size?: number): void {
      if (size !== undefined) sizes.set(index, size)
      transfers.set(index, { index, name, size, activity: { type: 'preparing' } })
      const free = slots.indexOf(undefined)
      slots[free === -1 ? slots.length : free] = index
    },
    bytes(index: number, moved: number, size: number | undefined, now: number): void {
      const transfer = transfers.get(index)
      measure(now, transfer === undefined ? 0 : bytesMovedSince(transfer, moved))
      change(index, (transfer) => ({ ...transfer, size, activity: afterBytes(transfer.activity, moved, size, now) }))
    },
    event(index: number, event: ClientEvent, now: number): void {
      measure(now)
      change(index, (transfer) => ({ ...transfer, activity: afterEvent(transfer.activity, event, now) }))
    },
    /** @param size in bytes, also for a file that did not have to be transferred */
    finish(index: number, outcome: OutcomeWord, size = transfers.get(index)?.size ?? 0): void {
      sizes.set(index, size)
      finished.add(index)
      if (meter !== undefined) meter = proven(meter)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      movedBefore += size
      transfers.delete(index)
      const slot = slots.indexOf(index)
      if (slot !== -1) slots[slot] = undefined
    },
    /** From now on times left can be told. */
    expect(given: Forecast): void {
      forecast = given
    },
    /** Bytes per second in all the time in which something was in transfer; undefined where nothing was. */
    meanRate: () => (sum.bytes > 0 && sum.ms > 0 ? (sum.bytes / sum.ms) * 1_000 : undefined),
    progress(now: number) {
      const rate = bytesPerSecond(measure(now))
      const moving = [...transfers.values()]
      const ended = finished.size
      const moved = movedBefore + moving.reduce(addMoved, 0)
      const total = sumOf(Array.from({ length: batch.files }, (_, index) => sizes.get(index)))
      return {
        /** `ended`: finished, with any outcome. */
        files: { total: batch.files, ended, outcomes },
        /** Of finished files and files in transfer; `total` is undefined while not all sizes are known. */
        bytes: { total, moved },
        /** The finished share of the batch, from 0 to 1: of the bytes, or of the files while not all sizes are known. */
        share: total ? moved / total : shareOf(batch.files, ended, moving),
        /** Bytes per second of all transfers together; undefined while it cannot be trusted. */
        rate: trafficOf(moving) === 'none' ? undefined : rate,
        /** By line on the screen: a file keeps its line while others start and finish. */
        slots: slots.map((index) => (index === undefined ? undefined : transfers.get(index))),
      }
    },
    timesLeft: (now: number) =>
      countdowns.at(now, () => {
        const onWire = [...transfers.values()].filter(isOnWire)
        const rest = {
          underWay: onWire.map(({ activity, size }) =>
            activity.type === 'moving' ? size && size - activity.bytes : 0,
          ),
          waiting: waiting(now),
          bytesPerSecond: bytesPerSecond(measure(now)),
        }
        return { files: onWire.map(({ index }) => index), ahead: forecast?.(rest) }
      }),
  }
}

export type TransferTracker = ReturnType<typeof createTransferTracker>

export type TimesLeft = ReturnType<TransferTracker['timesLeft']>

export type TransferProgress = ReturnType<TransferTracker['progress']>

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0)
}

/** While sizes are unknown, each file counts the same. */
function shareOf(files: number, ended: number, moving: readonly Transfer[]): number {
  const parts = moving.reduce((sum, one) => sum + (one.size ? addMoved(0, one) / one.size : 0), ended)
  return files === 0 ? 1 : parts / files
}

function addMoved(sum: number, { activity, size }: Transfer): number {
  if (activity.type === 'moving') return sum + activity.bytes
  return activity.type === 'storing' || activity.type === 'checking' ? sum + (size ?? 0) : sum
}

export interface ProgressView {
  /** @param now milliseconds, as the tracker is told them */
  start(tracker: TransferTracker, verb: 'uploaded' | 'downloaded', now: () => number): void
  /** Calls `write`, whose output appears above lines that are redrawn. */
  above(write: () => void): void
  end(): void
}
