import { clearScreenDown } from 'node:readline'
import cliProgress from 'cli-progress'

/** Some lines at the bottom of a terminal that are drawn anew as things go on. */
export interface LiveRegion {
  /** Lets something else be written: it appears above. */
  above(write: () => void): void
  /** Takes the lines away and gives the terminal back as it was; drawn anew by {@link resume}. */
  pause(): void
  resume(): void
}

export interface LiveRegionOptions {
  readonly stream: NodeJS.WriteStream
  /** How many lines there are at most. */
  readonly rows: number
  /** What they say now; fewer lines leave the others empty. */
  readonly lines: () => readonly string[]
}

const FRAMES_PER_SECOND = 8
/** DECAWM: what becomes of a line that is longer than the terminal is wide. */
const WRAP_LINES = '\u001b[?7h'
const CUT_LINES = '\u001b[?7l'

/** The library's bars draw themselves ten times a second and remember where; what they say is ours. */
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
      // A first Ctrl-C lets what is in flight end, and that is to be seen.
      gracefulExit: false,
    })
    multiBar.on('redraw-pre', () => {
      shown = lines()
      if (waiting.length > 0) {
        clearScreenDown(stream)
        // Of what stays, nothing may be cut off at the edge.
        stream.write(WRAP_LINES)
        for (const write of waiting.splice(0)) write()
        stream.write(CUT_LINES)
      }
      // Everything that is drawn leaves in one piece: nobody is to see half of it.
      stream.cork()
    })
    multiBar.on('redraw-post', () => stream.uncork())
    // One more would scroll, and what has scrolled away cannot be drawn anew.
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
