import { steadyClock } from '../../../clock.ts'
import type { Clock } from '../../../index.ts'
import { formatMoved } from '../format/byte-size.ts'
import { formatDuration } from '../format/time.ts'
import { type TransferProgress, timeLeft } from './transfer-progress.ts'
import type { TransferTracker } from './transfer-tracker.ts'
import { type ProgressView, track, trackerOf } from './transfer-tracker.ts'

/** A line is printed after this time without any other. */
const LONGEST_SILENCE_MS = 30_000
/** A single file that takes less time gets only its final line. */
const SHORTEST_REPORTED_MS = 1_000

/** For logs: prints a line at each quarter of the batch, and after 30 s without output. */
export function createPlainProgress(say: (line: string) => void, clock: Clock): ProgressView {
  const ended = new AbortController()
  const steady = steadyClock(clock)
  let tracker: TransferTracker | undefined
  let quartersReported = 0
  let startedAt = steady.now()
  let spokenAt = startedAt

  function beat(account: TransferTracker): void {
    spokenAt = steady.now()
    say(heartbeatLine(account.progress(), spokenAt))
  }

  async function breakSilence(account: TransferTracker): Promise<void> {
    for (;;) {
      await clock.sleep(Math.max(spokenAt + LONGEST_SILENCE_MS - steady.now(), 1), ended.signal)
      if (steady.now() - spokenAt >= LONGEST_SILENCE_MS) beat(account)
    }
  }

  return {
    start(batch, transfer) {
      tracker = trackerOf(batch, transfer)
      startedAt = steady.now()
      spokenAt = startedAt
      breakSilence(tracker).catch(() => {})
    },
    report(event) {
      if (tracker === undefined) return
      track(tracker, event, steady.now())
      if (event.type !== 'item-moved' && event.type !== 'item-finished') return
      const progress = tracker.progress()
      const quarters = quartersOf(progress)
      if (quarters <= quartersReported) return
      if (progress.files.total === 1 && steady.now() - startedAt < SHORTEST_REPORTED_MS) return
      quartersReported = quarters
      // The summary reports the end.
      if (quarters < 4) beat(tracker)
    },
    above(write) {
      spokenAt = steady.now()
      write()
    },
    pause() {},
    resume() {},
    end: () => ended.abort(),
  }
}

/** `12 of 40 files, 31.2 MB of 100 MB, about 8 min left`. */
export function heartbeatLine(progress: TransferProgress, now: number): string {
  const { files, bytes } = progress
  const leftMs = timeLeft(progress, now)
  const left = leftMs === undefined ? [] : [`about ${formatDuration(leftMs)} left`]
  return [`${files.ended} of ${files.total} files`, ...formatMoved(bytes), ...left].join(', ')
}

function quartersOf({ share }: TransferProgress): number {
  return Math.floor(share * 4)
}
