import { type Clock, startTimer } from '../../../clock.ts'
import { formatClockTime } from '../../format/format.ts'
import type { Drawing, Palette, TerminalTraits } from '../terminal/terminal.ts'
import { createLiveRegion } from './live-region.ts'
import { transferLines } from './transfer-lines.ts'
import type { ProgressView } from './transfer-tracker.ts'

/** For shorter runs, bars would only flash up. */
const SHOWN_AFTER_MS = 150
const USUAL_ROWS = 24

/** Of OSC 9;4. */
const NO_PROGRESS = '0'

/** For terminals: draws a bar for the whole batch and one for each file in transfer. */
export function createBarProgress(
  stream: NodeJS.WriteStream,
  { traits, palette, clock }: { readonly traits: TerminalTraits; readonly palette: Palette; readonly clock: Clock },
): ProgressView & Drawing {
  let region: ReturnType<typeof createLiveRegion> | undefined
  let stopTimer = () => {}
  let told = NO_PROGRESS

  function tellTaskbar(progress: string): void {
    if (traits.taskbar && progress !== told) stream.write(`\u001b]9;4;${progress}\u001b\\`)
    told = progress
  }

  function pause(): void {
    region?.pause()
    tellTaskbar(NO_PROGRESS)
  }

  return {
    start(tracker, verb, steadyNow) {
      // The last column stays free: some terminals move to the next line as soon as it is written.
      const width = () => Math.max(traits.width() - 1, 10)
      // More lines would scroll the screen, and lines scrolled away cannot be redrawn.
      const rows = () => Math.max((stream.rows || USUAL_ROWS) - 1, 1)
      const clockIn = (ms: number) => formatClockTime(clock.now() + ms, clock.now())
      const { unicode } = traits
      const look = () => ({ width: width(), rows: rows(), unicode, clockIn, palette, verb })
      const lines = () => {
        const now = steadyNow()
        const progress = tracker.progress(now)
        tellTaskbar(`1;${Math.floor(progress.share * 100)}`)
        return transferLines(progress, tracker.timesLeft(now), now, look())
      }
      const shown = createLiveRegion(stream, traits, lines)
      region = shown
      stopTimer = startTimer(clock, SHOWN_AFTER_MS, shown.resume)
    },
    above(write) {
      if (region === undefined) write()
      else region.above(write)
    },
    pause,
    resume: () => region?.resume(),
    end() {
      stopTimer()
      pause()
      region = undefined
    },
  }
}
