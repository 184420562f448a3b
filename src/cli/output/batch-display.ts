import { type Clock, startTimer } from '../../clock.ts'
import type { Failure } from '../failures/failure.ts'
import { failuresByReason, progressLine, type RunFigures, sharedReason, summaryLine } from './batch-text.ts'
import type { BatchStarted, ItemRecord, Verbosity } from './events.ts'
import type { ProgressView } from './progress/bars.ts'

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
export function displayOf(
  { transfer }: BatchStarted,
  { quiet, verbose, debug }: Verbosity,
  bars: Pick<Bars, 'byDefault' | 'nameLink'> | undefined,
) {
  const usual: {
    progress: 'none' | 'plain' | 'bars'
    /** Which items get a line when they finish. */
    lines: 'each' | 'no success' | 'none'
    /** Whether only the first items that are skipped, or fail for one reason, get a line. */
    fewAlike: boolean
    /** Whether a run of under a second leaves out what went well. */
    hidesQuickSuccesses: boolean
  } = { progress: 'plain', lines: 'each', fewAlike: false, hidesQuickSuccesses: false }
  if (quiet || transfer?.progress === 'none') return { ...usual, progress: 'none', lines: 'none' } as const
  if (transfer === undefined) return { ...usual, progress: 'none' } as const
  const wanted = transfer.progress === 'bar' || (transfer.progress === 'auto' && bars?.byDefault)
  // `--progress plain`, -v and --debug ask for the lines.
  if (!wanted || bars === undefined || debug) {
    return { ...usual, hidesQuickSuccesses: transfer.progress !== 'plain' && !verbose && !debug }
  }
  return { ...usual, progress: 'bars', lines: bars.nameLink ? 'no success' : 'each', fewAlike: !verbose } as const
}

type OutcomeStyle = Pick<ReturnType<typeof displayOf>, 'lines' | 'fewAlike'>

export interface OutcomeLinesOptions {
  readonly say: (line: string) => void
  /** For what a short run leaves out. */
  readonly held: HeldLines
  /** Prints why these failed, after a word such as `failed` or `fh:`; see {@link failureLines} for `others`. */
  readonly fail: (failure: Failure, subjects: readonly ItemRecord['subject'][], word: string, others?: string) => void
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** So many items that end alike get a line each, where few do. */
const MOST_ALIKE = 5
/** A small window has so many lines. */
const SCREEN_LINES = 20

/** Tells how the items of a batch end. */
export function createOutcomeLines({ say, held, fail, now }: OutcomeLinesOptions) {
  let items = 0
  let style: OutcomeStyle = { lines: 'none', fewAlike: false }
  let hint: string | null = null
  const alike = new Map<string, number>()

  /** A single item gets no line before its error. */
  const tellsEach = () => style.lines !== 'none' && items > 1

  function tellFailures(records: readonly ItemRecord[], word?: string): void {
    const [first] = records
    if (!first?.error) return
    // A failure does not repeat the hint of the one before.
    const error = first.error.hint === hint ? { ...first.error, hint: null } : first.error
    const subjects = records.map(({ subject }) => subject)
    const others = style.fewAlike ? '; -v names each' : ', named above'
    fail(error, subjects, word ?? first.status, tellsEach() ? others : undefined)
    hint = first.error.hint
  }

  /** How many have ended like this so far, where only the first of them get a line. */
  function countAlike({ error, status }: ItemRecord): number {
    const how = error === null ? status : sharedReason(error)
    const count = (alike.get(how) ?? 0) + 1
    alike.set(how, count)
    return style.fewAlike ? count : 1
  }

  function tellSkipped(record: ItemRecord, count: number): void {
    if (count <= MOST_ALIKE) say(progressLine(record, now()))
    else if (count === MOST_ALIKE + 1) say('From here on, fh only counts skipped files; -v names each')
  }

  /** Tells what has failed, unless each was told and the first is still in sight; many for one reason together. */
  function tellByReason(records: readonly ItemRecord[]): void {
    hint = null
    const isInSight = tellsEach() && items <= SCREEN_LINES
    for (const group of failuresByReason(records)) {
      if (group.length > MOST_ALIKE && (!isInSight || style.fewAlike)) tellFailures(group, 'fh:')
      else if (!isInSight) for (const record of group) tellFailures([record], 'fh:')
    }
  }

  return {
    begin(total: number, chosen: OutcomeStyle) {
      items = total
      style = chosen
    },
    /** @param isTold whether its link says how it ended */
    finish(record: ItemRecord, isTold: boolean) {
      // The summary counts the items that were never started: there may be very many.
      if (style.lines === 'none' || isTold || record.status === 'not_started') return
      const count = countAlike(record)
      if (record.error !== null) {
        // The end names the others.
        if (tellsEach() && count <= MOST_ALIKE) tellFailures([record])
      } else if (record.status === 'skipped') tellSkipped(record, count)
      else if (style.lines === 'each') held.say(progressLine(record, now()))
    },
    end(records: readonly ItemRecord[], figures?: RunFigures) {
      // A single item needs no summary.
      if (items > 1) {
        const summary = summaryLine(records, figures)
        if (records.every(({ status }) => status === 'uploaded' || status === 'downloaded')) held.say(summary)
        else say(summary)
      }
      held.drop()
      tellByReason(records)
    },
    /** Tells what a plan leaves out. */
    refused: tellByReason,
  }
}

/** What ends within this time needs no words but its results. */
const QUIET_MS = 1_000

/** Lines that a short run leaves out. */
export type HeldLines = ReturnType<typeof createHeldLines>

export function createHeldLines(say: (line: string) => void, clock: Clock) {
  let stopTimer = () => {}
  let held: string[] | undefined

  function release(): void {
    const lines = held ?? []
    held = undefined
    for (const line of lines) say(line)
  }

  return {
    /** Holds lines back for the first second of a run. */
    begin() {
      held = []
      stopTimer = startTimer(clock, QUIET_MS, release)
    },
    /** Prints a line, if the run has lasted a second or `release` was called: else then. */
    say(line: string) {
      if (held === undefined) say(line)
      else held.push(line)
    },
    /** Prints what was held back, because the run will last longer. */
    release,
    /** Forgets what was held back: the run is over. */
    drop() {
      stopTimer()
      held = undefined
    },
  }
}

/** A wait gets a line only if it is at least this long, and ends at least this much later than the last one printed. */
const SHORTEST_REPORTED_MS = 2_000

/** Tells of each wait when it begins, once for all requests that wait for the same window. */
export function createWaitLines<W extends { readonly delayMs: number }>(
  now: () => number,
  say: (wait: W, at: number) => void,
): (wait: W) => void {
  let reportedUntil = Number.NEGATIVE_INFINITY
  return (wait) => {
    const at = now()
    const until = at + wait.delayMs
    if (wait.delayMs < SHORTEST_REPORTED_MS || until < reportedUntil + SHORTEST_REPORTED_MS) return
    reportedUntil = until
    say(wait, at)
  }
}
