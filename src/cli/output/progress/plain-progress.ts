import { type Clock, steadyMs } from '../../../clock.ts'
import { formatDuration, printable } from '../../format/format.ts'
import type { ProgressView } from './bars.ts'
import type { Transfers } from './transfers.ts'

/** A rate needs a look from time to time. */
const LOOK_EVERY_MS = 1_000
/** While a run lasts, its log is silent for no longer. */
export const LONGEST_SILENCE_MS = 30_000
/** A quarter is not told right after a line about a file. */
const LEAST_SILENCE_MS = 5_000

/** For logs: prints a line at each quarter of the batch, and after 30 s without output. */
export function createPlainProgress(say: (line: string) => void, clock: Clock): ProgressView {
  const ended = new AbortController()
  let quartersTold = 0
  let spokenAt = steadyMs(clock)

  async function breakSilence(transfers: Transfers): Promise<void> {
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, ended.signal)
      // Measures the rate.
      const { share, timeLeft } = transfers
      const quarters = Math.floor(share * 4)
      // The summary reports the end.
      const isQuarter = quarters > quartersTold && quarters < 4
      if (steadyMs(clock) - spokenAt < (isQuarter ? LEAST_SILENCE_MS : LONGEST_SILENCE_MS)) continue
      quartersTold = quarters
      say(heartbeat(transfers, timeLeft))
    }
  }

  return {
    start: (transfers) => void breakSilence(transfers).catch(() => {}),
    above(write) {
      spokenAt = steadyMs(clock)
      write()
    },
    end: () => ended.abort(),
  }
}

/** `12 of 40 files, 31 %, about 8 min left`; of a single file its name instead of the count. */
function heartbeat({ ended, total, share, underWay }: Transfers, leftMs: number | undefined): string {
  const left = leftMs ? [`about ${formatDuration(leftMs)} left`] : []
  const [only] = total === 1 ? underWay : []
  const subject = only === undefined ? `${ended} of ${total} files` : printable(only.name)
  return [subject, `${Math.floor(share * 100)} %`, ...left].join(', ')
}
