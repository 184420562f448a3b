import type { Clock } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import { type Failure, missingSlug } from '../failures/failure.ts'
import { printable } from '../format/format.ts'
import type { Output, Page, Subject, Verbosity } from './events.ts'
import { wrapColumns } from './help-layout.ts'
import type { ProgressView } from './progress/bars.ts'
import { subjectName } from './records.ts'
import type { Palette, TerminalTraits } from './terminal/terminal.ts'

export interface TextOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  readonly fields: readonly string[] | undefined
  /** The terminals that the streams lead to; undefined where one leads to a pipe or a file. */
  readonly terminals: Readonly<Record<'stdout' | 'stderr', TerminalTraits | undefined>>
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
    const { terminals, palettes, fields, clock } = this.#options
    return { terminal: terminals.stdout, palette: palettes.stdout, fields, now: clock.now() }
  }

  /** A line of data. @param isProse whether a terminal may break it */
  print(line: string, isProse = false): void {
    this.put('stdout', isProse ? this.#wrap('stdout', line) : line)
  }

  /** A message that --quiet leaves out. */
  say(line: string): void {
    if (!this.#options.verbosity.quiet) this.message(line)
  }

  /** A message, which a terminal may break. */
  message(line: string): void {
    this.put('stderr', this.#wrap('stderr', line))
  }

  /** A failure, in the lines of {@link failureLines}. */
  fail(failure: Failure, subjects: readonly Subject[] = [], word = 'fh:', areNamed = false): void {
    const { palettes, verbosity } = this.#options
    for (const line of failureLines(failure, subjects, palettes.stderr.error(word), areNamed)) this.message(line)
    if (verbosity.debug && failure.stack !== null) {
      this.put('stderr', failure.stack.split('\n').map(printable).join('\n'))
    }
  }

  put(stream: 'stdout' | 'stderr', line: string): void {
    const write = () => this.#options.output[stream](`${line}\n`)
    if (this.view === undefined) write()
    else this.view.above(write)
  }

  #wrap(stream: 'stdout' | 'stderr', text: string): string {
    const terminal = this.#options.terminals[stream]
    return terminal === undefined ? text : wrapColumns(text, terminal.width())
  }
}

/** Of more items that failed for one reason, the first ones are named. */
const MOST_NAMED = 20

/**
 * A failure as text: what happened, to which files or request, and below it what to do.
 * @param subjects those that failed for this reason
 * @param word what the first line begins with
 * @param areNamed whether earlier lines have named them: of very many, the first ones are named again
 */
export function failureLines(
  failure: Failure,
  subjects: readonly Subject[],
  word: string,
  areNamed = false,
): readonly string[] {
  const names = subjects.map((subject) => printable(subjectName(subject)))
  const message = printable(failure.message)
  const hint = failure.hint === null ? [] : [`  ${printable(failure.hint)}`]
  const slug = missingSlug(failure)
  const [name = ''] = names
  // A message about a slug names it.
  if (names.length <= 1) return [`${word} ${name === '' || name === slug ? '' : `${name}: `}${message}`, ...hint]
  const most = areNamed ? MOST_NAMED : names.length
  const more = names.length > most ? [`and ${names.length - most} more, named above`] : []
  const named = [...names.slice(0, most), ...more].join(', ')
  if (slug !== undefined) {
    const missing = `${counted(names.length, 'upload')}: no upload has these slugs (${named})`
    return [`${word} ${missing}`, '  By name: fh list --name GLOB']
  }
  const one = subjects.some((subject) => 'file' in subject) ? 'file' : 'upload'
  // A message about a file is the rest of a sentence that begins with its name.
  const each = /^(?:is|was|has|does|cannot) /.test(message) ? 'each ' : ''
  return [`${word} ${counted(names.length, one)}: ${each}${message} (${named})`, ...hint]
}
