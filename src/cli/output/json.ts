import { isObject } from '../../checks/json.ts'
import { steadyClock } from '../../clock.ts'
import type { ClientEvent, Clock } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import { toJsonLine } from '../format/format.ts'
import {
  type CliEvent,
  type EventHandlers,
  handle,
  type ItemRecord,
  type Output,
  type Reporter,
  type UploadWithName,
  type Verbosity,
} from './events.ts'
import { withName } from './fields.ts'
import { answerItems, createWaitLines, presentRequest, traceLines, type Wait } from './wire-text.ts'

export interface JsonReporterOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  readonly fields: readonly string[] | undefined
  /** Whether to print each item as a line at once, instead of one document at the end. */
  readonly lines: boolean
  /**
   * The form of the document: `array`; `list`, an array, or null if nothing could be read; `value`, one value or null;
   * `own`, nothing but what the command prints.
   */
  readonly document: 'array' | 'list' | 'value' | 'own'
  readonly clock: Clock
}

type AnyWait = Wait | Extract<ClientEvent, { type: 'retry' }>

/** While a run waits, its log is silent for no longer. */
const LONGEST_SILENCE_MS = 30_000

/** The place of what stands after all records. */
const atEnd = Number.MAX_SAFE_INTEGER

/** For programs: prints only JSON on stdout, and each failure as one line of JSON on stderr. */
export class JsonReporter implements Reporter {
  readonly #options: JsonReporterOptions
  readonly #waits: ReturnType<typeof createWaitLog>
  readonly #items: { readonly index: number; readonly value: object }[] = []
  #value: unknown = null
  #form: JsonReporterOptions['document']
  #isRead = false

  constructor(options: JsonReporterOptions) {
    this.#options = options
    this.#form = options.document
    this.#waits = createWaitLog(options.clock, (line) => this.#tell(line))
  }

  readonly #handlers: Partial<EventHandlers> = {
    'upload-listed': (event) => this.#item(this.#items.length, this.#listed(event)),
    'list-ended': () => {
      this.#isRead = true
    },
    'item-finished': ({ index, record }) => {
      const { subject, status, path, upload, error } = record
      if (error !== null && (status === 'failed' || status === 'unknown')) this.#fail(error, subject)
      const place = path === undefined ? {} : { path }
      this.#item(index, { ...subject, status, ...place, upload, error: error && presentFailure(error) })
    },
    'media-left-out': ({ files }) => {
      for (const { file } of files) this.#item(atEnd, { file, status: 'left_out', upload: null, error: null })
    },
    'uploads-shown': ({ uploads, several }) => {
      const all = uploads.map((upload) => this.#picked(this.#shown(upload)))
      this.#value = several ? all : all[0]
    },
    'stats-shown': ({ stats, quota }) => {
      this.#value = this.#picked({ stats, quota })
    },
    'quota-shown': ({ quota }) => {
      this.#value = this.#picked(quota)
    },
    'answer-shown': ({ answer: { status, headers, body }, page }) => {
      const answer = { status, headers, body }
      if (this.#options.lines) for (const one of answerItems(body)) this.#print(one)
      else this.#value = page ? [...(Array.isArray(this.#value) ? this.#value : []), answer] : answer
    },
    /** A dry run prints one document, the plan, instead of an array of records. */
    'plan-shown': ({ plan }) => {
      const files = plan.files.map((file) => ({ ...file, error: file.error && presentFailure(file.error) }))
      for (const { file, error, status } of plan.files)
        if (error !== null && status === 'failed') this.#fail(error, { file })
      this.#value = { ...plan, files }
      this.#form = 'value'
      if (this.#options.lines) this.#print(this.#value)
    },
    document: ({ data }) => {
      this.#value = data
    },
    effect: ({ data }) => {
      this.#value = data
    },
    'emulator-ready': ({ ready, withCommand }) => (withCommand ? this.#tell(ready) : this.#print(ready)),
    'request-served': ({ request }) => this.#tell(presentRequest(request, this.#options.verbosity.debug)),
    failed: ({ failure }) => this.#fail(failure),
    warning: ({ type, message, hint }) => this.#tell({ type, message, hint }),
    wire: ({ event }) => {
      const { verbosity, output } = this.#options
      if (verbosity.debug) for (const line of traceLines(event)) output.stderr(`${line}\n`)
      if (event.type !== 'wait' && event.type !== 'retry') this.#waits.heard()
      else if (!verbosity.quiet) this.#waits.tell(event)
    },
  }

  report(event: CliEvent): void {
    // Others may begin to wait meanwhile.
    if (event.type !== 'wire' && event.type !== 'item-wire') this.#waits.heard()
    handle(this.#handlers, event)
  }

  close(): void {
    this.#waits.close()
    const { lines, document } = this.#options
    if (lines || (document === 'own' && this.#value === null)) return
    const ordered = this.#items.sort((a, b) => a.index - b.index).map(({ value }) => value)
    // After a failure, a list that could not be read is null, not an empty array; what was read before is printed.
    const isArray = this.#form === 'array' || (this.#form === 'list' && (this.#isRead || ordered.length > 0))
    this.#print(isArray ? ordered : this.#value)
  }

  #print(value: unknown): void {
    this.#options.output.stdout(`${toJsonLine(value)}\n`)
  }

  #tell(line: object): void {
    this.#options.output.stderr(`${toJsonLine(line)}\n`)
  }

  #picked(value: object): object {
    return pickFields(value, this.#options.fields)
  }

  #item(index: number, data: object): void {
    const value = this.#picked(data)
    if (this.#options.lines) this.#print(value)
    else this.#items.push({ index, value })
  }

  /** Without --fields it is printed as the service sent it. */
  #shown({ upload, name }: UploadWithName): object {
    return this.#options.fields === undefined ? upload : withName(upload, name)
  }

  /** In a list it has the name that a terminal shows, where one is known. */
  #listed({ upload, name }: UploadWithName): object {
    const isAdded = this.#options.fields === undefined && name && !('name' in upload)
    return isAdded ? { ...upload, name } : this.#shown({ upload, name })
  }

  #fail(failure: Failure, subject?: ItemRecord['subject']): void {
    this.#tell({ type: 'error', ...subject, ...presentFailure(failure) })
    const { verbosity, output } = this.#options
    if (verbosity.debug && failure.stack !== null) output.stderr(`${failure.stack}\n`)
  }
}

/** Tells of waits: of each when it begins, and again each 30 s for as long as nothing else happens. */
function createWaitLog(clock: Clock, print: (line: object) => void) {
  const steady = steadyClock(clock)
  const over = new AbortController()
  let waiting: (AnyWait & { readonly until: number }) | undefined
  let isSilent = true

  function say(wait: AnyWait): void {
    const [window, source] = wait.type === 'wait' ? [wait.window ?? null, wait.source] : [null, 'retry']
    print({ type: 'wait', delay_ms: Math.round(wait.delayMs), window, source })
  }

  async function sayAgain(): Promise<void> {
    while (waiting !== undefined) {
      isSilent = true
      await steady.sleep(LONGEST_SILENCE_MS, over.signal)
      const delayMs = waiting.until - steady.now()
      if (delayMs <= 0) waiting = undefined
      else if (isSilent) say({ ...waiting, delayMs })
    }
  }

  return {
    tell: createWaitLines<AnyWait>(steady.now, (wait) => {
      const isFirst = waiting === undefined
      waiting = { ...wait, until: steady.now() + wait.delayMs }
      say(wait)
      if (isFirst) sayAgain().catch(() => {})
    }),
    heard() {
      isSilent = false
    },
    close: () => over.abort(),
  }
}

function presentFailure(failure: Failure): object {
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

/**
 * Picks fields of an object, in the given order. A field that the object lacks is searched one level down, so that
 * `file,url` picks from the record of an upload and from the upload in it. Null for a field found nowhere.
 */
export function pickFields(value: object, fields: readonly string[] | undefined): object {
  if (fields === undefined) return value
  return Object.fromEntries(fields.map((field) => [field, fieldOf(value as Fields, field)]))
}

type Fields = Readonly<Record<string, unknown>>

function fieldOf(value: Fields, field: string): unknown {
  if (Object.hasOwn(value, field)) return value[field]
  const holder = Object.values(value).find((inner) => isObject(inner) && Object.hasOwn(inner, field))
  return isObject(holder) ? holder[field] : null
}
