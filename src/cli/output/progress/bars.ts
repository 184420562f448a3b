import { clearScreenDown, moveCursor } from 'node:readline'
import cliProgress from 'cli-progress'
import type { Clock } from '../../../clock.ts'
import type { Palette } from '../terminal/terminal.ts'
import { textWidth } from '../terminal/terminal-text.ts'
import { transferLines } from './transfer-lines.ts'
import type { Transfers } from './transfers.ts'

export interface ProgressView {
  start(transfers: Transfers): void
  /** Calls `write`, whose output appears above lines that are redrawn. */
  above(write: () => void): void
  end(): void
}

/** The first one comes after one period: for shorter runs, bars would only flash up. */
const FRAMES_PER_SECOND = 8
const [USUAL_COLUMNS, USUAL_ROWS] = [80, 24]
const NARROWEST = 20
/** DECAWM: whether the terminal wraps lines that are too long, as those are that it gets while it becomes narrower. */
const [WRAP_LINES, CUT_LINES] = ['\u001b[?7h', '\u001b[?7l']

/**
 * For terminals: a bar for the whole batch and one for each file in transfer, drawn by cli-progress as one text.
 * Between two frames the cursor rests at the start of the first bar. A terminal whose size changes moves the cursor with
 * its line, so the next frame begins in the right place, and the remains of the last frame lie below. The cursor stays
 * visible and lines wrap: however the process ends, nothing needs to be restored.
 * @param pushesCursor whether lines that wrap when the terminal gets narrower push the cursor down even from above them, as
 * in xterm.js
 */
export function createBars(
  stream: NodeJS.WriteStream,
  {
    pushesCursor,
    palette,
    clock,
  }: { readonly pushesCursor: boolean; readonly palette: Palette; readonly clock: Clock },
): ProgressView {
  let drawn: readonly string[] = []
  let bars: cliProgress.MultiBar | undefined
  const waiting: (() => void)[] = []
  const writeWaiting = () => {
    for (const write of waiting.splice(0)) write()
  }
  const widthNow = () => stream.columns || USUAL_COLUMNS
  const followResize = () => {
    if (pushesCursor) moveCursor(stream, 0, -pushedRows(drawn, widthNow()))
  }
  return {
    start(transfers) {
      bars = new cliProgress.MultiBar({
        stream,
        format: () => drawn.join('\n'),
        fps: FRAMES_PER_SECOND,
        linewrap: true,
        clearOnComplete: true,
        forceRedraw: true,
        // The lines stay after a first Ctrl-C, while uploads in flight finish.
        gracefulExit: false,
      })
      // It cuts lines by their length, colours included, where it believes that they wrap.
      Object.assign(Reflect.get(bars, 'terminal'), { linewrap: false })
      bars.on('redraw-pre', () => {
        if (waiting.length > 0) clearScreenDown(stream)
        writeWaiting()
        // The last column stays free: some terminals move to the next line as soon as it is written.
        const width = Math.max(widthNow() - 1, NARROWEST)
        // More lines would scroll the screen, and lines scrolled away cannot be redrawn.
        const rows = Math.max((stream.rows || USUAL_ROWS) - 1, 1)
        drawn = transferLines(transfers, { width, rows, palette, now: clock.now() })
        // A frame is written in one piece, which avoids flicker.
        stream.cork()
        clearScreenDown(stream)
        stream.write(CUT_LINES)
      })
      bars.on('redraw-post', () => {
        stream.write(WRAP_LINES)
        // Of no lines it would go down.
        moveCursor(stream, 0, Math.min(1 - drawn.length, 0))
        stream.uncork()
      })
      stream.on('resize', followResize)
      bars.create(1, 0)
    },
    // Before the next frame, whose lines then know what `write` tells.
    above(write) {
      waiting.push(write)
      if (bars === undefined) writeWaiting()
    },
    end() {
      stream.off('resize', followResize)
      bars?.stop()
      bars = undefined
      writeWaiting()
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
