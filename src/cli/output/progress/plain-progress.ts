import type { Clock } from '../../../index.ts'
import { formatDuration, formatMoved, printable } from '../../format/format.ts'
import type { ProgressView, TransferProgress, TransferTracker } from './transfer-tracker.ts'

const LOOK_EVERY_MS = 1_000

/** For logs: prints a line at each quarter of the batch, and after 30 s without output. @param clock steady */
export function createPlainProgress(say: (line: string) => void, clock: Clock): ProgressView {
  const ended = new AbortController()
  let quartersTold = 0
  let spokenAt = clock.now()

  async function breakSilence(tracker: TransferTracker): Promise<void> {
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, ended.signal)
      const now = clock.now()
      const progress = tracker.progress(now)
      if (!isHeartbeatDue(progress, { quartersTold, silentMs: now - spokenAt })) continue
      quartersTold = quartersOf(progress)
      say(heartbeatLine(progress, tracker.timesLeft(now).batch))
    }
  }

  return {
    start(tracker) {
      spokenAt = clock.now()
      breakSilence(tracker).catch(() => {})
    },
    above(write) {
      spokenAt = clock.now()
      write()
    },
    end: () => ended.abort(),
  }
}

const LONGEST_SILENCE_MS = 30_000
/** A quarter is not told right after a line about a file. */
const LEAST_SILENCE_MS = 5_000

/** Whether the log gets a line: after 30 s without any, and after 5 s if a quarter of the batch was completed. */
export function isHeartbeatDue(
  progress: TransferProgress,
  { quartersTold, silentMs }: { readonly quartersTold: number; readonly silentMs: number },
): boolean {
  const quarters = quartersOf(progress)
  // The summary reports the end.
  return silentMs >= (quarters > quartersTold && quarters < 4 ? LEAST_SILENCE_MS : LONGEST_SILENCE_MS)
}

/** `12 of 40 files, 31.2 MB of 100 MB, about 8 min left`; of a single file its name instead of the count. */
export function heartbeatLine({ files, bytes, slots }: TransferProgress, leftMs: number | undefined): string {
  const left = leftMs ? [`about ${formatDuration(leftMs)} left`] : []
  const [only] = files.total === 1 ? slots : []
  const subject = only === undefined ? `${files.ended} of ${files.total} files` : printable(only.name)
  return [subject, ...formatMoved(bytes), ...left].join(', ')
}

function quartersOf({ share }: TransferProgress): number {
  return Math.floor(share * 4)
}
