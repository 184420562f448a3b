import type { ClientEvent } from '../../index.ts'
import { unreachable } from '../failures/cli-error.ts'
import type { Failure } from '../failures/failure.ts'
import { toJsonLine } from '../format/format.ts'
import { answerItems } from './answer-text.ts'
import type { UploadPlan } from './batch-plan.ts'
import { presentRequest } from './emulator-text.ts'
import type { CliEvent, ItemRecord, Output, Reporter, Verbosity } from './events.ts'
import { pickFields, withName } from './fields.ts'
import { traceLines } from './wait-text.ts'
import { warningText } from './warnings.ts'

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
}

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
  function shown({ upload, name }: Extract<CliEvent, { type: 'upload-listed' | 'upload-shown' }>): object {
    return fields === undefined ? upload : withName(upload, name)
  }

  function fail(failure: Failure, subject?: ItemRecord['subject']): void {
    output.stderr(`${toJsonLine({ type: 'error', ...subject, ...presentFailure(failure) })}\n`)
    if (verbosity.debug && failure.stack !== null) output.stderr(`${failure.stack}\n`)
  }

  function finish(index: number, record: ItemRecord): void {
    const { subject, status, error } = record
    if (error !== null && (status === 'failed' || status === 'unknown')) fail(error, subject)
    item(index, presentRecord(record))
  }

  function answer({ answer: { status, headers, body }, page }: Extract<CliEvent, { type: 'answer-shown' }>): void {
    if (lines) for (const one of answerItems(body)) output.stdout(`${toJsonLine(one)}\n`)
    else if (page) value = [...(Array.isArray(value) ? value : []), { status, headers, body }]
    else value = { status, headers, body }
  }

  /** A dry run prints one document, the plan, instead of an array of records. */
  function showPlan(plan: UploadPlan): void {
    const files = plan.files.map((file) => ({ ...file, error: file.error && presentFailure(file.error) }))
    for (const { file, error, status } of plan.files) if (error !== null && status === 'failed') fail(error, { file })
    value = { ...plan, files }
    form = 'value'
    if (lines) output.stdout(`${toJsonLine(value)}\n`)
  }

  function wire(event: ClientEvent): void {
    if (verbosity.debug) {
      for (const line of traceLines(event)) output.stderr(`${line}\n`)
    } else if (verbosity.verbose && (event.type === 'wait' || event.type === 'retry')) {
      output.stderr(`${toJsonLine(presentWait(event))}\n`)
    }
  }

  return {
    report(event: CliEvent) {
      switch (event.type) {
        case 'upload-listed':
          return item(items.length, shown(event))
        case 'item-finished':
          return finish(event.index, event.record)
        case 'media-left-out':
          for (const { file } of event.files) item(atEnd, { file, status: 'left_out', upload: null, error: null })
          return
        case 'upload-shown':
          value = pickFields(shown(event), fields)
          return
        case 'stats-shown':
          value = pickFields({ stats: event.stats, quota: event.quota }, fields)
          return
        case 'answer-shown':
          return answer(event)
        case 'quota-shown':
          value = pickFields(event.quota, fields)
          return
        case 'plan-shown':
          return showPlan(event.plan)
        case 'document':
          value = event.document.data
          return
        case 'effect':
          value = event.effect.data
          return
        case 'emulator-ready':
          return output[event.withCommand ? 'stderr' : 'stdout'](`${toJsonLine(event.ready)}\n`)
        case 'request-served':
          return output.stderr(`${toJsonLine(presentRequest(event.request, verbosity.debug))}\n`)
        case 'failed':
          return fail(event.failure)
        case 'warning':
          return output.stderr(`${toJsonLine({ type: 'warning', ...warningText(event.warning) })}\n`)
        case 'wire':
          return wire(event.event)
        case 'list-ended':
          isRead = true
          return
        case 'note':
        case 'stopping':
        case 'batch-started':
        case 'batch-expected':
        case 'item-started':
        case 'item-moved':
        case 'item-wire':
        case 'batch-ended':
          return
        default:
          return unreachable(event)
      }
    },
    close() {
      if (lines || (document === 'own' && value === null)) return
      const ordered = items.sort((a, b) => a.index - b.index).map((entry) => entry.value)
      // After a failure, a list that could not be read is null, not an empty array; what was read before is printed.
      const isArray = form === 'array' || (form === 'list' && (isRead || items.length > 0))
      output.stdout(`${toJsonLine(isArray ? ordered : value)}\n`)
    },
  }
}

function presentRecord({ subject, status, path, upload, error }: ItemRecord): object {
  return { ...subject, status, ...(path !== undefined && { path }), upload, error: error && presentFailure(error) }
}

function presentFailure(failure: Failure): object {
  return {
    code: failure.code,
    exit_code: failure.exitCode,
    http_status: failure.httpStatus,
    window: failure.window,
    retry_after_ms: failure.retryAfterMs,
    message: failure.serviceMessage ?? failure.message,
    hint: failure.hint,
    request: failure.request,
  }
}

function presentWait(event: Extract<ClientEvent, { type: 'wait' | 'retry' }>): object {
  const reason = event.type === 'wait' ? { window: event.window ?? null, source: event.source } : {}
  return { type: event.type, delay_ms: event.delayMs, ...reason }
}
