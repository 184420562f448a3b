import { startTimer, steadyMs } from '../../clock.ts'
import type { ClientEvent, Clock } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import { toJson } from '../format/format.ts'
import { type CliEvent, handle, type Output, type Reporter, type Subject, type Verbosity } from './events.ts'
import { pickFields } from './fields.ts'
import { LONGEST_SILENCE_MS } from './progress/plain-progress.ts'
import { createWaitLines, traceLines, type Wait } from './wire-text.ts'

export interface JsonPrinterOptions {
  readonly output: Output
  readonly isTerminal: boolean
  readonly verbosity: Verbosity
  readonly fields: readonly string[] | undefined
  readonly lines: boolean
  /** `list`: an array, or null if nothing could be read; `own`: nothing but what the command prints. */
  readonly document: 'array' | 'list' | 'value' | 'own'
  readonly clock: Clock
}

const atEnd = Number.MAX_SAFE_INTEGER

/** For programs: prints only JSON on stdout, and each failure as one line of JSON on stderr. */
export class JsonPrinter implements Reporter {
  readonly #options: JsonPrinterOptions
  readonly #waits: ReturnType<typeof createWaitLog>
  readonly #items: { readonly index: number; readonly value: object }[] = []
  #value: unknown = null
  #form: JsonPrinterOptions['document']
  #hasFailed = false

  constructor(options: JsonPrinterOptions) {
    this.#options = options
    this.#form = options.document
    this.#waits = createWaitLog(options.clock, (line) => this.#tell(line))
  }

  report(event: CliEvent): void {
    handle(
      {
        'upload-listed': ({ upload, name }) =>
          this.#item(this.#items.length, name && !('name' in upload) ? { ...upload, name } : upload),
        'item-finished': ({ index, record: { subject, status, path, upload, error } }) => {
          if (error !== null && (status === 'failed' || status === 'unknown')) this.#fail(error, subject)
          const place = path === undefined ? {} : { path }
          this.#item(index, { ...subject, status, ...place, upload, error: error && presentFailure(error) })
        },
        'media-left-out': ({ files }) => {
          for (const { file } of files) this.#item(atEnd, { file, status: 'left_out', upload: null, error: null })
        },
        document: (document) => this.#document(document),
        line: ({ stream, data }) => this.#options.output[stream](`${toJson(data)}\n`),
        failed: ({ failure, subject }) => {
          this.#hasFailed = true
          this.#fail(failure, subject)
        },
        warning: ({ type, message, hint = null }) => this.#tell({ type, message, hint }),
        wire: ({ event }) => this.#wire(event),
      },
      event,
    )
  }

  close(): void {
    this.#waits.close()
    const { lines, document } = this.#options
    if (lines || (document === 'own' && this.#value === null)) return
    const ordered = this.#items.sort((a, b) => a.index - b.index).map(({ value }) => value)
    // After a failure, a list that could not be read is null, not an empty array; what was read before is printed.
    const isArray = this.#form === 'array' || (this.#form === 'list' && (ordered.length > 0 || !this.#hasFailed))
    this.#print(isArray ? ordered : this.#value, this.#options.isTerminal)
  }

  #document({ data, items = [data], isPart = false }: Extract<CliEvent, { type: 'document' }>): void {
    const { lines, document } = this.#options
    // A plan has no fields to choose from.
    const chosen = (all: unknown) => (document === 'value' ? this.#picked(all) : all)
    if (lines) for (const line of items) this.#print(chosen(line))
    const value = chosen(data)
    if (isPart && Array.isArray(this.#value)) this.#value.push(value)
    else this.#value = isPart ? [value] : value
    // A dry run prints one document, the plan, instead of an array of records.
    this.#form = 'value'
  }

  #print(value: unknown, isIndented = false): void {
    this.#options.output.stdout(`${toJson(value, isIndented)}\n`)
  }

  #tell(line: object): void {
    this.#options.output.stderr(`${toJson(line)}\n`)
  }

  #picked(data: unknown): unknown {
    const { fields } = this.#options
    if (fields === undefined) return data
    return Array.isArray(data) ? data.map((one) => pickFields(one, fields)) : pickFields(Object(data), fields)
  }

  #item(index: number, data: object): void {
    const value = Object(this.#picked(data))
    if (this.#options.lines) this.#print(value)
    else this.#items.push({ index, value })
  }

  #fail(failure: Failure, subject?: Subject): void {
    this.#tell({ type: 'error', ...subject, ...presentFailure(failure) })
    const { verbosity, output } = this.#options
    if (verbosity.debug && failure.stack !== null) output.stderr(`${failure.stack}\n`)
  }

  #wire(event: ClientEvent): void {
    const { verbosity, output } = this.#options
    if (verbosity.debug) for (const line of traceLines(event)) output.stderr(`${line}\n`)
    if ((event.type === 'wait' || event.type === 'retry') && !verbosity.quiet) this.#waits.tell(event)
  }
}

/** Tells of waits: of each when it begins, and again each 30 s until it ends. */
function createWaitLog(clock: Clock, print: (line: object) => void) {
  let cancel = () => {}
  const say = (event: Wait, until: number) => {
    cancel()
    const leftMs = Math.round(until - steadyMs(clock))
    if (leftMs <= 0) return
    const [window, source] = event.type === 'wait' ? [event.window ?? null, event.source] : [null, 'retry']
    print({ type: 'wait', delay_ms: leftMs, window, source })
    cancel = startTimer(clock, LONGEST_SILENCE_MS, () => say(event, until))
  }
  const tell = createWaitLines(
    () => steadyMs(clock),
    (event, at) => say(event, at + event.delayMs),
  )
  /** `close` ends what repeats the last wait. */
  return { tell, close: () => cancel() }
}

export function presentFailure(failure: Failure): object {
  return {
    code: failure.code,
    exit_code: failure.exitCode,
    retryable: failure.retryable,
    http_status: failure.httpStatus,
    window: failure.window,
    retry_after_ms: failure.retryAfterMs,
    message: failure.serviceMessage ?? failure.message,
    hint: failure.hint,
    request: failure.request,
  }
}
