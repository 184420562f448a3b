import { clearScreenDown, moveCursor } from 'node:readline'
import cliProgress from 'cli-progress'
import { type Clock, startTimer } from '../../../clock.ts'
import { formatClockTime } from '../../format/format.ts'
import type { Drawing, Palette, TerminalTraits } from '../terminal/terminal.ts'
import { textWidth } from '../terminal/terminal-text.ts'
import { transferLines } from './transfer-lines.ts'
import type { Transfers } from './transfers.ts'

/** How the progress of a batch is shown. */
export interface ProgressView {
  /** @param now milliseconds, as the transfers are told them */
  start(transfers: Transfers, verb: 'uploaded' | 'downloaded', now: () => number): void
  /** Calls `write`, whose output appears above lines that are redrawn. */
  above(write: () => void): void
  end(): void
}

const FRAMES_PER_SECOND = 8
/** For shorter runs, bars would only flash up. */
const SHOWN_AFTER_MS = 150
const USUAL_ROWS = 24
/** DECAWM: whether the terminal wraps lines that are too long. */
const WRAP_LINES = '\u001b[?7h'
const CUT_LINES = '\u001b[?7l'

/** Its types leave out the terminal, which knows how far below the first bar the cursor is. */
type MovableBars = cliProgress.MultiBar & { readonly terminal: { cursorRelativeReset(): void } }

interface BarsOptions {
  readonly traits: TerminalTraits
  readonly palette: Palette
  readonly clock: Clock
}

/**
 * For terminals: a bar for the whole batch and one for each file in transfer, drawn by cli-progress.
 *
 * Between two frames the cursor rests at the start of the first bar. A terminal whose size changes moves the cursor with
 * its line, so the next frame begins in the right place, and the remains of the last frame lie below.
 */
export class Bars implements ProgressView, Drawing {
  readonly #stream: NodeJS.WriteStream
  readonly #options: BarsOptions
  readonly #waiting: (() => void)[] = []
  #lines: (() => readonly string[]) | undefined
  #drawn: readonly string[] = []
  #bars: MovableBars | undefined
  #stopTimer = () => {}

  constructor(stream: NodeJS.WriteStream, options: BarsOptions) {
    this.#stream = stream
    this.#options = options
  }

  start(transfers: Transfers, verb: 'uploaded' | 'downloaded', steadyNow: () => number): void {
    const { traits, palette, clock } = this.#options
    const clockIn = (ms: number) => formatClockTime(clock.now() + ms, clock.now())
    this.#lines = () => {
      // The last column stays free: some terminals move to the next line as soon as it is written.
      const width = Math.max(traits.width() - 1, 10)
      // More lines would scroll the screen, and lines scrolled away cannot be redrawn.
      const rows = Math.max((this.#stream.rows || USUAL_ROWS) - 1, 1)
      return transferLines(transfers, steadyNow(), { width, rows, unicode: traits.unicode, clockIn, palette, verb })
    }
    this.#stopTimer = startTimer(clock, SHOWN_AFTER_MS, () => this.resume())
  }

  /** Before the next frame, whose lines then know what `write` tells. */
  above(write: () => void): void {
    this.#waiting.push(write)
    if (this.#bars === undefined) this.#writeWaiting()
  }

  end(): void {
    this.#stopTimer()
    this.pause()
    this.#lines = undefined
  }

  pause(): void {
    this.#stream.off('resize', this.#followResize)
    this.#bars?.stop()
    this.#bars = undefined
    this.#writeWaiting()
  }

  resume(): void {
    if (this.#lines === undefined || this.#bars !== undefined) return
    const bars = new cliProgress.MultiBar({
      stream: this.#stream,
      format: (_options, _params, { line }: { readonly line: number }) => this.#drawn[line] ?? '',
      fps: FRAMES_PER_SECOND,
      hideCursor: true,
      linewrap: false,
      clearOnComplete: true,
      forceRedraw: true,
      // The lines stay after a first Ctrl-C, while uploads in flight finish.
      gracefulExit: false,
    }) as MovableBars
    let count = 0
    const add = () => bars.create(1, 0, { line: count++ })
    bars.on('redraw-pre', () => {
      this.#writeAmidFrames()
      this.#drawn = this.#lines?.() ?? []
      while (count < this.#drawn.length) add()
      // A frame is written in one piece, which avoids flicker.
      this.#stream.cork()
    })
    bars.on('redraw-post', () => {
      clearScreenDown(this.#stream)
      bars.terminal.cursorRelativeReset()
      this.#stream.uncork()
    })
    this.#bars = bars
    this.#stream.on('resize', this.#followResize)
    add()
    bars.update()
  }

  #writeAmidFrames(): void {
    if (this.#waiting.length === 0) return
    clearScreenDown(this.#stream)
    // Lines written above stay on the screen, so they must wrap instead of being cut.
    this.#stream.write(WRAP_LINES)
    this.#writeWaiting()
    this.#stream.write(CUT_LINES)
  }

  /** A lower window has room for fewer bars, so they are made again. */
  readonly #followResize = (): void => {
    const { traits } = this.#options
    if (traits.pushesCursor) moveCursor(this.#stream, 0, -pushedRows(this.#drawn, traits.width()))
    this.pause()
    this.resume()
  }

  #writeWaiting(): void {
    for (const write of this.#waiting.splice(0)) write()
  }
}

/**
 * How far xterm.js has pushed the cursor down from the first line, now that lines wrap: once for each new row, from the last
 * line to the first, except of the line at which the cursor then is, which it cuts.
 */
function pushedRows(lines: readonly string[], width: number): number {
  return lines.reduceRight((pushed, line, row) => {
    if (row === pushed) return pushed
    return pushed + Math.max(Math.ceil(textWidth(line) / width) - 1, 0)
  }, 0)
}
