import { type Clock, startTimer, steadyClock } from '../../../clock.ts'
import { formatClockTime } from '../../format/format.ts'
import type { Drawing, Palette, TerminalTraits } from '../terminal/terminal.ts'
import { createLiveRegion, type LiveRegion } from './live-region.ts'
import { transferLines } from './transfer-lines.ts'
import type { TransferTracker } from './transfer-tracker.ts'
import { type ProgressView, track, trackerOf } from './transfer-tracker.ts'

/** For shorter runs, bars would only flash up. */
const SHOWN_AFTER_MS = 150
const USUAL_ROWS = 24

/** For terminals: draws a bar for the whole batch and one for each file in transfer. */
export function createBarProgress(
  stream: NodeJS.WriteStream,
  { traits, palette, clock }: { readonly traits: TerminalTraits; readonly palette: Palette; readonly clock: Clock },
): ProgressView & Drawing {
  let region: LiveRegion | undefined
  let tracker: TransferTracker | undefined
  let stopTimer = () => {}
  const steady = steadyClock(clock)

  return {
    start(batch, transfer) {
      const account = trackerOf(batch, transfer)
      // The last column stays free: some terminals move to the next line as soon as it is written.
      const width = () => Math.max(traits.width() - 1, 10)
      // More lines would scroll the screen, and lines scrolled away cannot be redrawn.
      const rows = () => Math.max((stream.rows || USUAL_ROWS) - 1, 1)
      const clockIn = (ms: number) => formatClockTime(clock.now() + ms, clock.now())
      const { unicode } = traits
      const look = () => ({ width: width(), rows: rows(), unicode, clockIn, palette, verb: transfer.verb })
      const lines = () => {
        const now = steady.now()
        return transferLines(account.progress(now), account.timesLeft(now), now, look())
      }
      const shown = createLiveRegion(stream, traits, lines)
      tracker = account
      region = shown
      stopTimer = startTimer(clock, SHOWN_AFTER_MS, shown.resume)
    },
    report(event) {
      if (tracker !== undefined) track(tracker, event, steady.now())
    },
    above(write) {
      if (region === undefined) write()
      else region.above(write)
    },
    pause: () => region?.pause(),
    resume: () => region?.resume(),
    end() {
      stopTimer()
      region?.pause()
      region = undefined
    },
  }
}
