import type { Clock } from '../../../index.ts'

/** What ends within this time needs no words but its results. */
const QUIET_MS = 1_000

/** Lines that a short run leaves out. */
export interface HeldLines {
  /** Holds lines back for the first second of a run. */
  begin(): void
  /** Prints a line, if the run has lasted a second or {@link release} was called: else then. */
  say(line: string, whole?: string): void
  /** Prints what was held back, because the run will last longer. */
  release(): void
  /** Forgets what was held back: the run is over. */
  drop(): void
}

export function createHeldLines(say: HeldLines['say'], clock: Clock): HeldLines {
  const ended = new AbortController()
  let held: (readonly [line: string, whole: string | undefined])[] | undefined

  function release(): void {
    const lines = held ?? []
    held = undefined
    for (const [line, whole] of lines) say(line, whole)
  }

  return {
    begin() {
      held = []
      clock.sleep(QUIET_MS, ended.signal).then(release, () => {})
    },
    say(line, whole) {
      if (held === undefined) say(line, whole)
      else held.push([line, whole])
    },
    release,
    drop() {
      ended.abort()
      held = undefined
    },
  }
}
