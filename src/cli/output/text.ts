import type { ClientEvent, Clock } from '../../index.ts'
import { type Failure, missingSlug } from '../failures/failure.ts'
import { printable } from '../format/format.ts'
import {
  type CliEvent,
  type Document,
  handle,
  type ItemFinished,
  type ItemRecord,
  type Output,
  type Page,
  type ProgressChoice,
  type Reporter,
  type Subject,
  type Verbosity,
  type Warning,
} from './events.ts'
import { withName } from './fields.ts'
import type { ProgressView } from './progress/bars.ts'
import { createPlainProgress } from './progress/plain-progress.ts'
import type { Transfers } from './progress/transfers.ts'
import { outcomeOf, progressLine, subjectName } from './records.ts'
import { createUploadTable } from './tables/upload-table.ts'
import type { Palette } from './terminal/terminal.ts'
import { createWaitLines, traceLines, type Wait, waitText } from './wire-text.ts'

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

/** For people and pipes: prints data on stdout, everything else on stderr. */
export class TextPrinter implements Reporter {
  readonly #options: TextOptions
  readonly #waits: (wait: Wait) => void
  readonly #table: ReturnType<typeof createUploadTable>
  /** How progress is shown now: lines are written above it. */
  #view: ProgressView | undefined
  #batch: Transfers | undefined
  #tells = false
  /** Links and lines, printed in the order of the arguments: each waits for those before it. */
  readonly #ready = new Map<number, string | null>()
  #next = 0
  #lastHint: string | null = null

  constructor(options: TextOptions) {
    this.#options = options
    this.#table = createUploadTable(this.#page, (line) => this.#put('stdout', line))
    this.#waits = createWaitLines(options.clock.now, (wait, now) => this.#say(waitText(wait, { now })))
  }

  report(event: CliEvent): void {
    handle(
      {
        wire: ({ event }) => this.#wire(event),
        note: ({ text }) => {
          // It stands below the list.
          this.#table.flush()
          this.#say(text)
        },
        warning: (warning) => this.#warn(warning),
        failed: ({ failure, subject }) => {
          // What was read before is worth having.
          this.#table.flush()
          this.#fail(failure, subject)
        },
        'upload-listed': ({ upload, name }) => this.#table.add(withName(upload, name)),
        document: (document) => this.#document(document),
        line: ({ stream, text }) => {
          for (const line of text) this.#put(stream, line)
        },
        'media-left-out': ({ files }) => {
          if (!this.#options.verbosity.verbose) return
          for (const { file, kind } of files) this.#say(`left out ${printable(file)} (${kind})`)
        },
        'batch-started': ({ transfers, progress }) => this.#begin(transfers, progress),
        'item-finished': (finished) => this.#finish(finished),
      },
      event,
    )
  }

  /** Draws no more: the run is over. */
  close(): void {
    this.#table.flush()
    this.#view?.end()
    this.#view = undefined
  }

  get #page(): Page {
    const { width, palettes, fields, clock } = this.#options
    return { width: width?.(), palette: palettes.stdout, fields, now: clock.now() }
  }

  #document({ text }: Document): void {
    const lines = typeof text === 'string' ? [text] : text(this.#page)
    for (const line of lines) if (line !== '' || lines.length > 1) this.#put('stdout', line)
  }

  #begin(batch: Transfers, progress: ProgressChoice | undefined): void {
    const { verbosity, bars, clock } = this.#options
    this.#batch = batch
    this.#tells = !verbosity.quiet && progress !== 'none'
    if (!this.#tells || progress === undefined) return
    const isAsked = progress === 'bar' || (progress === 'auto' && bars?.byDefault === true)
    const drawn = isAsked && !verbosity.debug ? bars?.view : undefined
    this.#view = drawn ?? createPlainProgress((line) => this.#say(line), clock)
    this.#view.start(batch)
  }

  #finish({ index, record, link }: ItemFinished): void {
    const line = link === null ? undefined : this.#lineWithLink(link, record)
    this.#ready.set(index, line ?? link)
    for (; this.#ready.has(this.#next); this.#next += 1) {
      const line = this.#ready.get(this.#next)
      this.#ready.delete(this.#next)
      if (line) this.#put('stdout', line)
    }
    // The summary counts the items that were never started: there may be very many.
    if (record.error === null) {
      if (this.#tells && line === undefined) this.#say(progressLine(record, this.#page.now))
    } else if (record.status !== 'not_started') this.#failItem(record.error, record)
    const batch = this.#batch
    batch?.finish(index, outcomeOf(record))
    if (batch === undefined || batch.ended < batch.total) return
    this.close()
    // A single item needs no summary.
    if (batch.total > 1) this.#say(batch.summary)
  }

  /** A line with the link of a file that says how the file ended; undefined where the file gets a line of its own. */
  #lineWithLink(link: string, record: ItemRecord): string | undefined {
    if (!this.#tells || !this.#options.isOneTerminal) return undefined
    if (this.#batch?.total === 1 && record.status !== 'skipped') return link
    // A text to paste, such as Markdown, stays a line of its own.
    const isPlain = record.path !== undefined || /^https?:\S+$/.test(link)
    return isPlain ? progressLine(record, this.#page.now, link) : undefined
  }

  /** A single item gets no word before its error. A failure does not repeat the hint of the one before. */
  #failItem(error: Failure, { subject, status }: ItemRecord): void {
    if (error.code === 'interrupted') {
      this.#say(`interrupted ${printable(subjectName(subject))}`)
      return
    }
    const hint = error.hint === this.#lastHint ? null : error.hint
    this.#lastHint = error.hint
    this.#fail({ ...error, hint }, subject, this.#tells && this.#batch?.total !== 1 ? status : 'fh:')
  }

  #fail(failure: Failure, subject?: Subject, word = 'fh:'): void {
    const { palettes, verbosity } = this.#options
    for (const line of failureLines(failure, subject, palettes.stderr.error(word))) this.#put('stderr', line)
    if (!verbosity.debug || failure.stack === null) return
    for (const line of failure.stack.split('\n')) this.#put('stderr', printable(line))
  }

  #warn({ message, hint }: Warning): void {
    this.#put('stderr', `${this.#options.palettes.stderr.error('fh: warning:')} ${printable(message)}`)
    if (hint) this.#put('stderr', `  ${printable(hint)}`)
  }

  #wire(event: ClientEvent): void {
    const { verbosity, bars } = this.#options
    if (verbosity.debug) for (const line of traceLines(event)) this.#put('stderr', line)
    else if (verbosity.verbose && event.type === 'response') this.#put('stderr', quotaLine(event))
    // A bar shows what its file waits for; what is asked before files are sent has no bar.
    else if (this.#view === undefined || this.#view !== bars?.view || isQuestion(event)) {
      if (event.type === 'wait') this.#waits(event)
      // Without a delay of its own, the retry waits for the pacer, which reports that wait itself.
      if (event.type === 'retry' && event.delayMs > 0) this.#say(waitText(event))
    }
  }

  #say(line: string): void {
    if (!this.#options.verbosity.quiet) this.#put('stderr', line)
  }

  #put(stream: 'stdout' | 'stderr', line: string): void {
    const write = () => this.#options.output[stream](`${line}\n`)
    if (this.#view === undefined) write()
    else this.#view.above(write)
  }
}

/** Of a request that looks something up. */
function isQuestion(event: ClientEvent): boolean {
  return 'request' in event && event.request.method === 'GET'
}

/** `POST /api/upload: 201, 42 of 60 units left, 10 spent` */
function quotaLine({ request, status, report }: Extract<ClientEvent, { type: 'response' }>): string {
  const { remaining, limit = '?', cost } = report
  const spent = cost === undefined ? '' : `, ${cost} spent`
  const left = remaining === undefined ? 'no quota headers' : `${remaining} of ${limit} units left${spent}`
  return `${request.method} ${printable(request.path)}: ${status}, ${left}`
}

/** A failure as text: what happened, to which file or upload, and below it what to do. */
export function failureLines(failure: Failure, subject: Subject | undefined, word: string): readonly string[] {
  const name = subject === undefined ? '' : printable(subjectName(subject))
  // A message about a slug names it.
  const named = name === '' || name === missingSlug(failure) ? '' : `${name}: `
  const hint = failure.hint === null ? [] : [`  ${printable(failure.hint)}`]
  return [`${word} ${named}${printable(failure.message)}`, ...hint]
}
