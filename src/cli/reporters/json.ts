import type { ClientEvent } from '../../index.ts'
import { unreachable } from '../cli-error.ts'
import type { CliEvent, ItemRecord } from '../events.ts'
import type { Failure } from '../failure.ts'
import { pickFields } from '../fields.ts'
import { toJsonLine } from '../format.ts'
import type { Output, Reporter, Verbosity } from '../reporter.ts'
import { traceLines } from './trace.ts'

export interface JsonReporterOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  readonly fields: readonly string[] | undefined
  /** Items as lines the moment they are there, in place of one document at the end. */
  readonly lines: boolean
  /** An array whatever happens, one value or null, or nothing beyond what the command prints itself. */
  readonly document: 'array' | 'value' | 'own'
}

/** For programs: stdout is JSON and nothing else; on stderr every failure is one line of JSON. */
export function createJsonReporter(options: JsonReporterOptions): Reporter {
  const { output, verbosity, fields, lines, document } = options
  const items: { index: number; value: object }[] = []
  let value: unknown = null

  function item(index: number, data: object): void {
    const picked = pickFields(data, fields)
    if (lines) output.stdout(`${toJsonLine(picked)}\n`)
    else items.push({ index, value: picked })
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
          return item(items.length, event.upload)
        case 'item-finished':
          return finish(event.index, event.record)
        case 'upload-shown':
          value = pickFields(event.upload, fields)
          return
        case 'stats-shown':
          value = pickFields({ stats: event.stats, quota: event.quota }, fields)
          return
        case 'shown':
        case 'settled':
          value = event.data
          return
        case 'emulator-ready':
          return output[event.withCommand ? 'stderr' : 'stdout'](`${toJsonLine(event.ready)}\n`)
        case 'failed':
          return fail(event.failure)
        case 'wire':
          return wire(event.event)
        case 'note':
        case 'stopping':
        case 'list-ended':
        case 'batch-started':
        case 'batch-ended':
          return
        default:
          return unreachable(event)
      }
    },
    close() {
      if (lines || document === 'own') return
      const ordered = items.sort((a, b) => a.index - b.index).map((entry) => entry.value)
      output.stdout(`${toJsonLine(document === 'array' ? ordered : value)}\n`)
    },
  }
}

function presentRecord({ subject, status, upload, error }: ItemRecord): object {
  return { ...subject, status, upload, error: error && presentFailure(error) }
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

function presentWait(event: { readonly type: 'wait' | 'retry'; readonly delayMs: number }): object {
  return { type: event.type, delay_ms: event.delayMs, ...('window' in event && { window: event.window ?? null }) }
}
