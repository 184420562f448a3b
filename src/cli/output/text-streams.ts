import type { Clock } from '../../index.ts'
import { type Failure, missingSlug } from '../failures/failure.ts'
import { printable } from '../format/format.ts'
import type { Output, Page, Subject, Verbosity } from './events.ts'
import type { ProgressView } from './progress/bars.ts'
import { subjectName } from './records.ts'
import type { Palette } from './terminal/terminal.ts'

export interface TextOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  readonly fields: readonly string[] | undefined
  /** Of the terminal that stdout leads to, in columns; undefined where that is a pipe or a file. */
  readonly width: (() => number) | undefined
  /** Whether both streams lead to a terminal, so that one line tells of a file and its link. */
  readonly isOneTerminal: boolean
  readonly palettes: Readonly<Record<'stdout' | 'stderr', Palette>>
  /** Undefined if stderr is not a terminal that can redraw lines. `byDefault`: whether `--progress auto` draws them. */
  readonly bars: { readonly view: ProgressView; readonly byDefault: boolean } | undefined
  readonly clock: Clock
}

/** Both standard streams, as people read them. */
export class TextStreams {
  readonly #options: TextOptions
  /** What is drawn now: lines are written above it. */
  view: ProgressView | undefined

  constructor(options: TextOptions) {
    this.#options = options
  }

  get page(): Page {
    const { width, palettes, fields, clock } = this.#options
    return { width: width?.(), palette: palettes.stdout, fields, now: clock.now() }
  }

  /** A line of data. */
  print(line: string): void {
    this.put('stdout', line)
  }

  /** A message that --quiet leaves out. */
  say(line: string): void {
    if (!this.#options.verbosity.quiet) this.message(line)
  }

  message(line: string): void {
    this.put('stderr', line)
  }

  /** A failure, in the lines of {@link failureLines}. */
  fail(failure: Failure, subject?: Subject, word = 'fh:'): void {
    const { palettes, verbosity } = this.#options
    for (const line of failureLines(failure, subject, palettes.stderr.error(word))) this.message(line)
    if (verbosity.debug && failure.stack !== null) {
      this.put('stderr', failure.stack.split('\n').map(printable).join('\n'))
    }
  }

  put(stream: 'stdout' | 'stderr', line: string): void {
    const write = () => this.#options.output[stream](`${line}\n`)
    if (this.view === undefined) write()
    else this.view.above(write)
  }
}

/** A failure as text: what happened, to which file or upload, and below it what to do. */
export function failureLines(failure: Failure, subject: Subject | undefined, word: string): readonly string[] {
  const name = subject === undefined ? '' : printable(subjectName(subject))
  // A message about a slug names it.
  const named = name === '' || name === missingSlug(failure) ? '' : `${name}: `
  const hint = failure.hint === null ? [] : [`  ${printable(failure.hint)}`]
  return [`${word} ${named}${printable(failure.message)}`, ...hint]
}
