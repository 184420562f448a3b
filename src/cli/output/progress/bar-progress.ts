import { clearScreenDown } from 'node:readline'
import cliProgress from 'cli-progress'
import { steadyClock } from '../../../clock.ts'
import type { Clock } from '../../../index.ts'
import type { Palette } from '../terminal/color.ts'
import type { TerminalTraits } from '../terminal/terminal.ts'
import { transferLines } from './transfer-lines.ts'
import type { TransferTracker } from './transfer-tracker.ts'
import { type ProgressView, track, trackerOf } from './transfer-tracker.ts'

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

/** Lines at the bottom of a terminal that are redrawn repeatedly. */
export interface LiveRegion {
  /** Calls `write`, whose output appears above the lines. */
  above(write: () => void): void
  /** Removes the lines and restores the terminal, until {@link resume}. */
  pause(): void
  resume(): void
}

export interface LiveRegionOptions {
  readonly stream: NodeJS.WriteStream
  /** The maximum number of lines. */
  readonly rows: number
  /** The current lines; missing ones are empty. */
  readonly lines: () => readonly string[]
}

const FRAMES_PER_SECOND = 8
/** DECAWM: whether the terminal wraps lines that are too long. */
const WRAP_LINES = '\u001b[?7h'
const CUT_LINES = '\u001b[?7l'

/** Uses cli-progress for redrawing and cursor positions; each "bar" prints one of our lines. */
export function createLiveRegion({ stream, rows, lines }: LiveRegionOptions): LiveRegion {
  const waiting: (() => void)[] = []
  let bars: cliProgress.MultiBar | undefined
  let shown: readonly string[] = []

  function draw(): void {
    const multiBar = new cliProgress.MultiBar({
      stream,
      format: (_options, _params, { row }: { row: number }) => shown[row] ?? '',
      fps: FRAMES_PER_SECOND,
      hideCursor: true,
      linewrap: false,
      clearOnComplete: true,
      forceRedraw: true,
      // The lines stay after a first Ctrl-C, while uploads in flight finish.
      gracefulExit: false,
    })
    multiBar.on('redraw-pre', () => {
      shown = lines()
      if (waiting.length > 0) {
        clearScreenDown(stream)
        // Lines written above stay on the screen, so they must wrap instead of being cut.
        stream.write(WRAP_LINES)
        for (const write of waiting.splice(0)) write()
        stream.write(CUT_LINES)
      }
      // Writes a frame in one piece, which avoids flicker.
      stream.cork()
    })
    multiBar.on('redraw-post', () => stream.uncork())
    // More lines would scroll the screen, and lines scrolled away cannot be redrawn.
    const room = Math.max((stream.rows ?? rows + 1) - 1, 1)
    for (let row = 0; row < Math.min(rows, room); row += 1) multiBar.create(1, 0, { row })
    bars = multiBar
    multiBar.update()
  }

  return {
    above(write) {
      waiting.push(write)
      if (bars === undefined) for (const next of waiting.splice(0)) next()
      else bars.update()
    },
    pause() {
      bars?.stop()
      bars = undefined
    },
    resume() {
      if (bars === undefined) draw()
    },
  }
}
