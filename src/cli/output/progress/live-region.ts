import { clearScreenDown } from 'node:readline'
import cliProgress from 'cli-progress'

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
