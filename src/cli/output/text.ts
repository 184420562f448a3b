import type { ClientEvent, Clock } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import { formatDuration, printable } from '../format/format.ts'
import { type Bars, BatchPrinter, failureLines } from './batch-printer.ts'
import {
  type CliEvent,
  type EventHandlers,
  handle,
  type ItemRecord,
  type Output,
  type Reporter,
  type Verbosity,
} from './events.ts'
import { withName } from './fields.ts'
import type { AccountView } from './tables/account-view.ts'
import type { Palette } from './terminal/terminal.ts'
import { answerText, createWaitLines, readyText, requestLines, traceLines, type Wait, waitText } from './wire-text.ts'

export interface TextReporterOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  /** Makes the view that prints data on stdout. */
  readonly createView: (print: (line: string) => void) => AccountView
  /** Undefined if stderr is not a terminal that can redraw lines. */
  readonly bars: Bars | undefined
  /** Whether stdout and stderr are on one terminal. */
  readonly isOneTerminal: boolean
  readonly clock: Clock
  /** Breaks prose where it is too long for a terminal. */
  readonly wrap: Readonly<Record<'stdout' | 'stderr', (text: string) => string>>
  /** The styles for stdout and stderr. */
  readonly palettes: { readonly stdout: Palette; readonly stderr: Palette }
}

/** For people and pipes: prints data on stdout, everything else on stderr. */
export class TextReporter implements Reporter {
  readonly #options: TextReporterOptions
  readonly #batch: BatchPrinter
  readonly #waits: (wait: Wait) => void
  #view: AccountView | undefined

  constructor(options: TextReporterOptions) {
    this.#options = options
    const { clock } = options
    const [print, say] = [(line: string) => this.#print(line), (line: string) => this.#say(line)]
    this.#batch = new BatchPrinter({ ...options, print, say, fail: (...failure) => this.#fail(...failure) })
    this.#waits = createWaitLines<Wait>(clock.now, (wait, at) => {
      // A run that waits is no short one.
      this.#batch.release()
      this.#say(waitText(wait, at))
    })
  }

  readonly #handlers: EventHandlers = {
    wire: ({ event }) => this.#wire(event),
    note: ({ text }) => this.#say(text),
    effect: ({ text }) => this.#say(text),
    warning: (warning) => this.#warn(warning),
    failed: ({ failure }) => this.#fail(failure),
    stopping: (event) => this.#stopping(event),
    'upload-listed': ({ upload, name }) => this.#data.list(withName(upload, name)),
    'list-ended': () => this.#data.endList(),
    'uploads-shown': ({ uploads }) => {
      for (const [index, { upload, name }] of uploads.entries()) {
        if (index > 0) this.#print('')
        this.#data.show(withName(upload, name))
      }
    },
    'stats-shown': ({ stats, quota }) => this.#data.stats(stats, quota),
    'media-left-out': ({ files }) => {
      if (!this.#options.verbosity.verbose) return
      for (const { file, kind } of files) this.#say(`left out ${printable(file)} (${kind})`)
    },
    'batch-started': (batch) => this.#batch.begin(batch),
    'batch-expected': ({ forecast }) => this.#batch.follow((transfers) => transfers.expect(forecast)),
    'item-started': ({ index, name, total }) =>
      this.#batch.follow((transfers, now) => transfers.start(index, name, now, total)),
    'item-moved': ({ index, bytes, total }) =>
      this.#batch.follow((transfers, now) => transfers.move(index, bytes, total, now)),
    'item-wire': ({ index, event }) => this.#batch.follow((transfers, now) => transfers.event(index, event, now)),
    'item-finished': (event) => this.#batch.finish(event),
    'batch-ended': ({ records }) => this.#batch.end(records),
    'plan-shown': ({ plan, lines }) => {
      this.#data.plan(lines)
      for (const { file, error, status } of plan.files)
        if (error !== null && status === 'failed') this.#fail(error, [{ file }])
    },
    'quota-shown': ({ lines }) => {
      for (const line of lines(this.#options.palettes.stdout)) this.#print(this.#options.wrap.stdout(line))
    },
    'answer-shown': (event) => this.#printText(answerText(event)),
    document: ({ text, isProse }) => this.#printText(isProse ? this.#options.wrap.stdout(text) : text),
    'emulator-ready': (event) => this.#emulatorReady(event),
    'request-served': ({ request }) => {
      const { verbosity, palettes } = this.#options
      for (const line of requestLines(request, verbosity, palettes.stderr)) this.#tell(line)
    },
  }

  report(event: CliEvent): void {
    handle(this.#handlers, event)
  }

  close(): void {
    this.#batch.drop()
  }

  get #data(): AccountView {
    this.#view ??= this.#options.createView((line) => this.#print(line))
    return this.#view
  }

  #print(line: string): void {
    this.#put(() => this.#options.output.stdout(`${line}\n`))
  }

  #printText(text: string): void {
    if (text !== '') this.#print(text)
  }

  #tell(line: string): void {
    this.#put(() => this.#options.output.stderr(`${line}\n`))
  }

  /** Lines of prose, which a terminal may break. */
  #message(line: string): void {
    this.#tell(this.#options.wrap.stderr(line))
  }

  #say(line: string): void {
    if (!this.#options.verbosity.quiet) this.#message(line)
  }

  #put(write: () => void): void {
    if (this.#batch.view === undefined) write()
    else this.#batch.view.above(write)
  }

  #fail(failure: Failure, subjects: readonly ItemRecord['subject'][] = [], word = 'fh:', others?: string): void {
    const { palettes, verbosity } = this.#options
    for (const line of failureLines(failure, subjects, palettes.stderr.error(word), others)) this.#message(line)
    if (verbosity.debug && failure.stack !== null) this.#tell(failure.stack.split('\n').map(printable).join('\n'))
  }

  #warn({ message, hint, isBrief }: Extract<CliEvent, { type: 'warning' }>): void {
    if (isBrief) {
      this.#message(`${message}; ${hint}`)
      return
    }
    this.#message(`${this.#options.palettes.stderr.error('fh: warning:')} ${printable(message)}`)
    this.#message(`  ${printable(hint)}`)
  }

  #stopping({ inFlight, graceMs }: Extract<CliEvent, { type: 'stopping' }>): void {
    // With nothing in flight, the run ends at once.
    if (inFlight === 0) return
    const have = inFlight === 1 ? 'has' : 'have'
    this.#say(
      `Stopping: ${inFlight} in flight ${have} ${formatDuration(graceMs)} to finish; press Ctrl-C again to abort`,
    )
  }

  #wire(event: ClientEvent): void {
    const { verbosity } = this.#options
    if (verbosity.debug) for (const line of traceLines(event)) this.#tell(line)
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

  #emulatorReady(event: Extract<CliEvent, { type: 'emulator-ready' }>): void {
    const { verbose, debug, quiet } = this.#options.verbosity
    if (quiet) return
    const { withCommand } = event
    // The command gets key and addresses from its environment.
    for (const line of readyText(event, withCommand && !verbose && !debug)) {
      if (withCommand) this.#tell(line)
      else this.#print(line)
    }
  }
}

function quotaText({ remaining, limit, cost }: { remaining?: number; limit?: number; cost?: number }): string {
  if (remaining === undefined) return 'no quota headers'
  return `${remaining} of ${limit ?? '?'} units left${cost === undefined ? '' : `, ${cost} spent`}`
}
