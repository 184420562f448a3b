import type { ClientEvent, Clock } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import { printable } from '../format/format.ts'
import { BatchPrinter, failureLines } from './batch-printer.ts'
import { type CliEvent, handle, type Output, type Page, type Reporter, type Subject, type Verbosity } from './events.ts'
import { withName } from './fields.ts'
import { wrapColumns } from './help-layout.ts'
import type { ProgressView } from './progress/bars.ts'
import { UploadTable } from './tables/upload-table.ts'
import type { Palette, TerminalTraits } from './terminal/terminal.ts'
import { createWaitLines, traceLines, type Wait, waitText } from './wire-text.ts'

export interface TextPrinterOptions {
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

/** For people and pipes: prints data on stdout, everything else on stderr. */
export class TextPrinter implements Reporter {
  readonly #options: TextPrinterOptions
  readonly #batch: BatchPrinter
  readonly #waits: (wait: Wait) => void
  readonly #table: UploadTable

  constructor(options: TextPrinterOptions) {
    this.#options = options
    const { clock, terminals } = options
    const print = (line: string) => this.#print(line)
    this.#table = new UploadTable(this.#page, print)
    this.#batch = new BatchPrinter({
      ...options,
      print,
      say: (line) => this.#say(line),
      fail: (...failure) => this.#fail(...failure),
      page: () => this.#page,
      isOneTerminal: terminals.stdout !== undefined && terminals.stderr !== undefined,
    })
    this.#waits = createWaitLines<Wait>(clock.now, (wait, at) => {
      // A run that waits is no short one.
      this.#batch.release()
      this.#say(waitText(wait, at))
    })
  }

  report(event: CliEvent): void {
    handle(
      {
        wire: ({ event }) => this.#wire(event),
        note: ({ text }) => this.#say(text),
        effect: ({ text }) => this.#say(text),
        warning: (warning) => this.#warn(warning),
        failed: ({ failure, subject }) => {
          // What was read before is worth having.
          this.#table.flush()
          this.#fail(failure, subject && [subject])
        },
        'upload-listed': ({ upload, name }) => this.#table.add(withName(upload, name)),
        'list-ended': () => this.#table.flush(),
        document: (document) => this.#document(document),
        line: ({ stream, text }) => {
          for (const line of text(this.#options.palettes[stream])) this.#put(stream, line)
        },
        'media-left-out': ({ files }) => {
          if (!this.#options.verbosity.verbose) return
          for (const { file, kind } of files) this.#say(`left out ${printable(file)} (${kind})`)
        },
        'batch-started': (batch) => this.#batch.begin(batch),
        'batch-expected': ({ forecast }) => this.#batch.follow((transfers) => transfers.expect(forecast)),
        'item-started': ({ index, name, total }) =>
          this.#batch.follow((transfers) => transfers.start(index, name, total)),
        'item-moved': ({ index, bytes, total }) =>
          this.#batch.follow((transfers, now) => transfers.move(index, bytes, total, now)),
        'item-wire': ({ index, event }) => this.#batch.follow((transfers, now) => transfers.event(index, event, now)),
        'item-finished': (finished) => this.#batch.finish(finished),
        'batch-ended': ({ records }) => this.#batch.end(records),
      },
      event,
    )
  }

  close(): void {
    this.#batch.drop()
  }

  get #page(): Page {
    const { terminals, palettes, fields, clock } = this.#options
    return { terminal: terminals.stdout, palette: palettes.stdout, fields, now: clock.now() }
  }

  #document({ text, isProse }: Extract<CliEvent, { type: 'document' }>): void {
    const lines = typeof text === 'string' ? [text] : text(this.#page)
    for (const line of lines)
      if (line !== '' || lines.length > 1) this.#print(isProse ? this.#wrap('stdout', line) : line)
  }

  #print(line: string): void {
    this.#put('stdout', line)
  }

  /** Lines of prose, which a terminal may break. */
  #message(line: string): void {
    this.#put('stderr', this.#wrap('stderr', line))
  }

  #say(line: string): void {
    if (!this.#options.verbosity.quiet) this.#message(line)
  }

  #wrap(stream: 'stdout' | 'stderr', text: string): string {
    const terminal = this.#options.terminals[stream]
    return terminal === undefined ? text : wrapColumns(text, terminal.width())
  }

  #put(stream: 'stdout' | 'stderr', line: string): void {
    const write = () => this.#options.output[stream](`${line}\n`)
    if (this.#batch.view === undefined) write()
    else this.#batch.view.above(write)
  }

  #fail(failure: Failure, subjects: readonly Subject[] = [], word = 'fh:', others?: string): void {
    const { palettes, verbosity } = this.#options
    for (const line of failureLines(failure, subjects, palettes.stderr.error(word), others)) this.#message(line)
    if (verbosity.debug && failure.stack !== null) {
      this.#put('stderr', failure.stack.split('\n').map(printable).join('\n'))
    }
  }

  #warn({ message, hint, isBrief }: Extract<CliEvent, { type: 'warning' }>): void {
    if (isBrief) {
      this.#message(hint === undefined ? message : `${message}; ${hint}`)
      return
    }
    this.#message(`${this.#options.palettes.stderr.error('fh: warning:')} ${printable(message)}`)
    if (hint) this.#message(`  ${printable(hint)}`)
  }

  #wire(event: ClientEvent): void {
    const { verbosity } = this.#options
    if (verbosity.debug) for (const line of traceLines(event)) this.#put('stderr', line)
    else if (event.type === 'response') {
      const { request, status, report } = event
      if (verbosity.verbose)
        this.#message(`${request.method} ${printable(request.path)}: ${status}, ${quotaText(report)}`)
    } else if (!this.#batch.drawsBars) {
      if (event.type === 'wait') this.#waits(event)
      // Without a delay of its own, the retry waits for the pacer, which reports that wait itself.
      if (event.type === 'retry' && event.delayMs > 0) this.#say(waitText(event))
    }
  }
}

function quotaText({ remaining, limit, cost }: { remaining?: number; limit?: number; cost?: number }): string {
  if (remaining === undefined) return 'no quota headers'
  return `${remaining} of ${limit ?? '?'} units left${cost === undefined ? '' : `, ${cost} spent`}`
}
