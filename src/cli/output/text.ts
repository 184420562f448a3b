import type { ClientEvent } from '../../index.ts'
import { printable } from '../format/format.ts'
import { BatchPrinter } from './batch-printer.ts'
import { type CliEvent, handle, type Reporter } from './events.ts'
import { withName } from './fields.ts'
import { UploadTable } from './tables/upload-table.ts'
import { type TextOptions, TextStreams } from './text-streams.ts'
import { createWaitLines, traceLines, type Wait, waitText } from './wire-text.ts'

/** For people and pipes: prints data on stdout, everything else on stderr. */
export class TextPrinter implements Reporter {
  readonly #options: TextOptions
  readonly #streams: TextStreams
  readonly #batch: BatchPrinter
  readonly #waits: (wait: Wait) => void
  readonly #table: UploadTable

  constructor(options: TextOptions) {
    this.#options = options
    this.#streams = new TextStreams(options)
    this.#table = new UploadTable(this.#streams.page, (line) => this.#streams.print(line))
    this.#batch = new BatchPrinter(this.#streams, options)
    this.#waits = createWaitLines<Wait>(options.clock.now, (wait, now) => this.#streams.say(waitText(wait, { now })))
  }

  report(event: CliEvent): void {
    handle(
      {
        wire: ({ event }) => this.#wire(event),
        note: ({ text }) => this.#streams.say(text),
        effect: ({ text }) => this.#streams.say(text),
        warning: (warning) => this.#warn(warning),
        failed: ({ failure, subject }) => {
          // What was read before is worth having.
          this.#table.flush()
          this.#streams.fail(failure, subject)
        },
        'upload-listed': ({ upload, name }) => this.#table.add(withName(upload, name)),
        'list-ended': () => this.#table.flush(),
        document: (document) => this.#document(document),
        line: ({ stream, text }) => {
          for (const line of text) this.#streams.put(stream, line)
        },
        'media-left-out': ({ files }) => {
          if (!this.#options.verbosity.verbose) return
          for (const { file, kind } of files) this.#streams.say(`left out ${printable(file)} (${kind})`)
        },
        'batch-started': (batch) => this.#batch.begin(batch),
        'batch-expected': ({ forecast }) => this.#batch.transfers?.expect(forecast),
        'item-started': ({ index, name, total }) => this.#batch.transfers?.start(index, name, total),
        'item-moved': ({ index, bytes, total }) => this.#batch.transfers?.move(index, bytes, total),
        'item-wire': ({ index, event }) => this.#batch.transfers?.event(index, event),
        'item-finished': (finished) => this.#batch.finish(finished),
        'batch-ended': ({ records }) => this.#batch.end(records),
      },
      event,
    )
  }

  close(): void {
    this.#batch.drop()
  }

  #document({ text }: Extract<CliEvent, { type: 'document' }>): void {
    const lines = typeof text === 'string' ? [text] : text(this.#streams.page)
    for (const line of lines) if (line !== '' || lines.length > 1) this.#streams.print(line)
  }

  #warn({ message, hint }: Extract<CliEvent, { type: 'warning' }>): void {
    this.#streams.message(`${this.#options.palettes.stderr.error('fh: warning:')} ${printable(message)}`)
    if (hint) this.#streams.message(`  ${printable(hint)}`)
  }

  #wire(event: ClientEvent): void {
    const { verbosity } = this.#options
    if (verbosity.debug) for (const line of traceLines(event)) this.#streams.put('stderr', line)
    else if (event.type === 'response') {
      const { request, status, report } = event
      if (verbosity.verbose)
        this.#streams.message(`${request.method} ${printable(request.path)}: ${status}, ${quotaText(report)}`)
    } else if (!this.#batch.drawsBars) {
      if (event.type === 'wait') this.#waits(event)
      // Without a delay of its own, the retry waits for the pacer, which reports that wait itself.
      if (event.type === 'retry' && event.delayMs > 0) this.#streams.say(waitText(event))
    }
  }
}

function quotaText({ remaining, limit, cost }: { remaining?: number; limit?: number; cost?: number }): string {
  if (remaining === undefined) return 'no quota headers'
  return `${remaining} of ${limit ?? '?'} units left${cost === undefined ? '' : `, ${cost} spent`}`
}
