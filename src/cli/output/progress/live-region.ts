import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import cliProgress from 'cli-progress'
import type { TerminalTraits } from '../terminal/terminal.ts'
import { textWidth } from '../terminal/terminal-text.ts'

const FRAMES_PER_SECOND = 8
/** DECAWM: whether the terminal wraps lines that are too long. */
const WRAP_LINES = '\u001b[?7h'
const CUT_LINES = '\u001b[?7l'
const CLEAR_RIGHT = '\u001b[K'

/**
 * Lines at the bottom of a terminal that are redrawn repeatedly. Uses cli-progress for the rhythm of redrawing and the state of the terminal; its only "bar" prints all lines.
 *
 * Between two frames the cursor rests at the start of the first line. A terminal whose size changes moves the cursor with
 * its line, so the next frame begins in the right place, and the remains of the last frame lie below.
 *
 * @param lines the current ones, fewer than the terminal has rows, none as wide as it
 */
export function createLiveRegion(
  stream: NodeJS.WriteStream,
  traits: Pick<TerminalTraits, 'width' | 'pushesCursor'>,
  lines: () => readonly string[],
) {
  const waiting: (() => void)[] = []
  let bars: cliProgress.MultiBar | undefined
  let drawn: readonly string[] = []

  function followResize(): void {
    if (traits.pushesCursor) moveCursor(stream, 0, -pushedRows(drawn, traits.width()))
    bars?.update()
  }

  const writeWaiting = () => {
    for (const write of waiting.splice(0)) write()
  }

  function writeAmidFrames(): void {
    if (waiting.length === 0) return
    clearScreenDown(stream)
    // Lines written above stay on the screen, so they must wrap instead of being cut.
    stream.write(WRAP_LINES)
    writeWaiting()
    stream.write(CUT_LINES)
  }

  function frame(): string {
    drawn = lines()
    return drawn.join(`${CLEAR_RIGHT}\n`)
  }

  function draw(): void {
    const multiBar = new cliProgress.MultiBar({
      stream,
      format: frame,
      fps: FRAMES_PER_SECOND,
      hideCursor: true,
      linewrap: false,
      clearOnComplete: true,
      forceRedraw: true,
      // The lines stay after a first Ctrl-C, while uploads in flight finish.
      gracefulExit: false,
    })
    multiBar.on('redraw-pre', () => {
      writeAmidFrames()
      // Writes a frame in one piece, which avoids flicker.
      stream.cork()
    })
    multiBar.on('redraw-post', () => {
      clearScreenDown(stream)
      moveCursor(stream, 0, 1 - drawn.length)
      cursorTo(stream, 0)
      stream.uncork()
    })
    multiBar.create(1, 0)
    bars = multiBar
    stream.on('resize', followResize)
    multiBar.update()
  }

  return {
    /** Calls `write` before the next frame, whose lines then know what it tells. */
    above(write: () => void) {
      waiting.push(write)
      if (bars === undefined) writeWaiting()
    },
    /** Removes the lines and restores the terminal, until {@link resume}. */
    pause() {
      if (bars === undefined) return
      stream.off('resize', followResize)
      bars.stop()
      bars = undefined
      writeWaiting()
    },
    resume() {
      if (bars === undefined) draw()
    },
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
