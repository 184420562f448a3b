import { steadyClock } from '../../../clock.ts'
import type { Clock } from '../../../index.ts'
import type { Palette } from '../terminal/color.ts'
import type { TerminalTraits } from '../terminal/terminal-traits.ts'
import { createLiveRegion, type LiveRegion } from './live-region.ts'
import { type ProgressView, track, trackerOf } from './progress-view.ts'
import { transferLines } from './transfer-lines.ts'
import type { TransferTracker } from './transfer-tracker.ts'

export interface BarProgressOptions {
  readonly stream: NodeJS.WriteStream
  readonly traits: TerminalTraits
  readonly palette: Palette
  readonly clock: Clock
}

/** For shorter runs, bars would only flash up. */
const SHOWN_AFTER_MS = 150

/** For terminals: draws a bar for the whole batch and one for each file in transfer. */
export function createBarProgress({ stream, traits, palette, clock }: BarProgressOptions): ProgressView {
  let region: LiveRegion | undefined
  let tracker: TransferTracker | undefined
  const ended = new AbortController()
  const steady = steadyClock(clock)

  return {
    start(batch, transfer) {
      const account = trackerOf(batch, transfer)
      // The last column stays free: some terminals move to the next line as soon as it is written.
      const width = () => Math.max(traits.width() - 1, 10)
      const look = () => ({ width: width(), unicode: traits.unicode, palette, verb: transfer.verb })
      const shown = createLiveRegion({
        stream,
        rows: 1 + Math.min(transfer.jobs, batch.total),
        lines: () => transferLines(account.progress(), steady.now(), look()),
      })
      tracker = account
      region = shown
      clock.sleep(SHOWN_AFTER_MS, ended.signal).then(shown.resume, () => {})
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
      ended.abort()
      region?.pause()
      region = undefined
    },
  }
}
