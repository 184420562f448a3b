import type { BatchStarted, Verbosity } from '../events.ts'
import type { ProgressView } from './transfer-tracker.ts'

export interface Bars {
  /** Draws on stderr. */
  readonly view: ProgressView
  /** Whether `--progress auto` draws them: not if other processes may write to the terminal. */
  readonly byDefault: boolean
  /**
   * Adds a file's name to its link; the link then replaces the line about a success. Undefined if stdout is not the
   * terminal of the bars.
   */
  readonly nameLink: ((link: string, name: string) => string) | undefined
  /** As {@link nameLink}, with a remark in place of the name; undefined where the whole remark has no room. */
  readonly remarkLink: (link: string, remark: string) => string | undefined
}

/** How a batch is shown. */
export interface BatchDisplay {
  readonly progress: 'none' | 'plain' | 'bars'
  /** Which items get a line when they finish. */
  readonly lines: 'each' | 'no success' | 'none'
  /** Whether only the first skipped items get a line. */
  readonly fewSkipped: boolean
  /** Whether a run of under a second leaves out what went well. */
  readonly hidesQuickSuccesses: boolean
}

export function displayOf(
  { transfer }: BatchStarted,
  { quiet, verbose, debug }: Verbosity,
  bars: Pick<Bars, 'byDefault' | 'nameLink'> | undefined,
): BatchDisplay {
  const plain = { progress: 'plain', lines: 'each', fewSkipped: false, hidesQuickSuccesses: false } as const
  if (quiet || transfer?.progress === 'none') return { ...plain, progress: 'none', lines: 'none' }
  if (transfer === undefined) return { ...plain, progress: 'none' }
  const wanted = transfer.progress === 'bar' || (transfer.progress === 'auto' && bars?.byDefault)
  // `--progress plain`, -v and --debug ask for the lines.
  if (!wanted || bars === undefined || debug) {
    return { ...plain, hidesQuickSuccesses: transfer.progress !== 'plain' && !verbose && !debug }
  }
  return {
    progress: 'bars',
    lines: bars.nameLink === undefined ? 'each' : 'no success',
    fewSkipped: !verbose,
    hidesQuickSuccesses: false,
  }
}
