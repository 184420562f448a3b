import { isObject } from '../../checks/json.ts'
import { steadyClock } from '../../clock.ts'
import type { ClientEvent, Clock } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import { toJsonLine } from '../format/format.ts'
import {
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
export function createJsonReporter(options: JsonReporterOptions): Reporter {
  const { output, verbosity, fields, lines, document } = options
  const items: { index: number; value: object }[] = []
  let value: unknown = null
  let form = document
  let isRead = false

  function item(index: number, data: object): void {
    const picked = pickFields(data, fields)
    if (lines) output.stdout(`${toJsonLine(picked)}\n`)
    else items.push({ index, value: picked })
  }

  /** Without --fields it is printed as the service sent it. */
  function shown({ upload, name }: UploadWithName): object {
    return fields === undefined ? upload : withName(upload, name)
  }

  /** In a list it has the name that a terminal shows, where one is known. */
  function listed({ upload, name }: UploadWithName): object {
    const isAdded = fields === undefined && name && !('name' in upload)
    return isAdded ? { ...upload, name } : shown({ upload, name })
  }

  function fail(failure: Failure, subject?: ItemRecord['subject']): void {
    output.stderr(`${toJsonLine({ type: 'error', ...subject, ...presentFailure(failure) })}\n`)
    if (verbosity.debug && failure.stack !== null) output.stderr(`${failure.stack}\n`)
  }

  const steady = steadyClock(options.clock)
  const over = new AbortController()
  let waiting: (AnyWait & { readonly until: number }) | undefined
  let isSilent = true

  function sayWait(wait: AnyWait): void {
    const [window, source] = wait.type === 'wait' ? [wait.window ?? null, wait.source] : [null, 'retry']
    output.stderr(`${toJsonLine({ type: 'wait', delay_ms: Math.round(wait.delayMs), window, source })}\n`)
  }

  /** Tells of it again for as long as nothing else happens. */
  async function sayAgain(): Promise<void> {
    while (waiting !== undefined) {
      isSilent = true
      await steady.sleep(LONGEST_SILENCE_MS, over.signal)
      const delayMs = waiting.until - steady.now()
      if (delayMs <= 0) waiting = undefined
      else if (isSilent) sayWait({ ...waiting, delayMs })
    }
  }

  const waits = createWaitLines<AnyWait>(steady.now, (wait) => {
    const isFirst = waiting === undefined
    waiting = { ...wait, until: steady.now() + wait.delayMs }
    sayWait(wait)
    if (isFirst) sayAgain().catch(() => {})
  })

  const ignore = () => {}

  const handlers: EventHandlers = {
    'upload-listed': (event) => item(items.length, listed(event)),
    'list-ended'() {
      isRead = true
    },
    'item-finished'({ index, record }) {
      const { subject, status, path, upload, error } = record
      if (error !== null && (status === 'failed' || status === 'unknown')) fail(error, subject)
      const place = path === undefined ? {} : { path }
      item(index, { ...subject, status, ...place, upload, error: error && presentFailure(error) })
    },
    'media-left-out'({ files }) {
      for (const { file } of files) item(atEnd, { file, status: 'left_out', upload: null, error: null })
    },
    'uploads-shown'({ uploads, several }) {
      const all = uploads.map((upload) => pickFields(shown(upload), fields))
      value = several ? all : all[0]
    },
    'stats-shown'({ stats, quota }) {
      value = pickFields({ stats, quota }, fields)
    },
    'quota-shown'({ quota }) {
      value = pickFields(quota, fields)
    },
    'answer-shown'({ answer: { status, headers, body }, page }) {
      if (lines) for (const one of answerItems(body)) output.stdout(`${toJsonLine(one)}\n`)
      else if (page) value = [...(Array.isArray(value) ? value : []), { status, headers, body }]
      else value = { status, headers, body }
    },
    /** A dry run prints one document, the plan, instead of an array of records. */
    'plan-shown'({ plan }) {
      const files = plan.files.map((file) => ({ ...file, error: file.error && presentFailure(file.error) }))
      for (const { file, error, status } of plan.files) if (error !== null && status === 'failed') fail(error, { file })
      value = { ...plan, files }
      form = 'value'
      if (lines) output.stdout(`${toJsonLine(value)}\n`)
    },
    document({ data }) {
      value = data
    },
    effect({ data }) {
      value = data
    },
    'emulator-ready': ({ ready, withCommand }) => output[withCommand ? 'stderr' : 'stdout'](`${toJsonLine(ready)}\n`),
    'request-served': ({ request }) => output.stderr(`${toJsonLine(presentRequest(request, verbosity.debug))}\n`),
    failed: ({ failure }) => fail(failure),
    warning: ({ type, message, hint }) => output.stderr(`${toJsonLine({ type, message, hint })}\n`),
    wire({ event }) {
      if (verbosity.debug) for (const line of traceLines(event)) output.stderr(`${line}\n`)
      if (event.type !== 'wait' && event.type !== 'retry') isSilent = false
      else if (!verbosity.quiet) waits(event)
    },
    note: ignore,
    stopping: ignore,
    'batch-started': ignore,
    'batch-expected': ignore,
    'batch-ended': ignore,
    'item-started': ignore,
    'item-moved': ignore,
    'item-wire': ignore,
  }

  return {
    report(event) {
      // Others may begin to wait meanwhile.
      if (event.type !== 'wire' && event.type !== 'item-wire') isSilent = false
      handle(handlers, event)
    },
    close() {
      over.abort()
      if (lines || (document === 'own' && value === null)) return
      const ordered = items.sort((a, b) => a.index - b.index).map((entry) => entry.value)
      // After a failure, a list that could not be read is null, not an empty array; what was read before is printed.
      const isArray = form === 'array' || (form === 'list' && (isRead || items.length > 0))
      output.stdout(`${toJsonLine(isArray ? ordered : value)}\n`)
    },
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
