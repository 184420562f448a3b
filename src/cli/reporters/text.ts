import type { ClientEvent, Stats, Upload } from '../../index.ts'
import { unreachable } from '../cli-error.ts'
import type { Palette } from '../color.ts'
import { formatDuration } from '../duration.ts'
import type { CliEvent, EmulatorReady, ItemRecord, QuotaReport } from '../events.ts'
import type { Failure } from '../failure.ts'
import { uploadFields } from '../fields.ts'
import { alignColumns, printable } from '../format.ts'
import { subjectName } from '../records.ts'
import type { Output, Reporter, Verbosity } from '../reporter.ts'
import { createOrderedLinks, progressLine, summaryLine } from './batch-text.ts'
import { traceLines, waitText } from './trace.ts'
import { cellOf, createUploadTable, rawCell } from './upload-table.ts'

export interface TextReporterOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  readonly fields: readonly string[] | undefined
  /** Whether a person reads stdout: then tables, elsewhere lines with tabs. */
  readonly stdoutTerminal: boolean
  /** Styles of stdout and of stderr. */
  readonly palettes: { readonly stdout: Palette; readonly stderr: Palette }
}

/** A wait shorter than this is not worth a line. */
const SHORTEST_WAIT_TOLD_MS = 1_000

/** For people, and for pipes: data on stdout, all else on stderr. */
export function createTextReporter(options: TextReporterOptions): Reporter {
  const { output, verbosity, fields, stdoutTerminal, palettes } = options
  const print = (line: string) => output.stdout(`${line}\n`)
  const tell = (line: string) => output.stderr(`${line}\n`)
  const say = (line: string) => {
    if (!verbosity.quiet) tell(line)
  }
  const links = createOrderedLinks(print)
  const table = createUploadTable(fields, (lines, header) => {
    for (const line of lines) print(header ? palettes.stdout.faint(line) : line)
  })
  let batchSize = 0

  function fail(failure: Failure, subject?: ItemRecord['subject']): void {
    for (const line of failureLines(failure, subject, palettes.stderr)) tell(line)
    if (verbosity.debug && failure.stack !== null) tell(failure.stack.split('\n').map(printable).join('\n'))
  }

  function wire(event: ClientEvent): void {
    if (verbosity.debug) {
      for (const line of traceLines(event)) tell(line)
      return
    }
    if (event.type === 'wait' && event.delayMs >= SHORTEST_WAIT_TOLD_MS) say(waitText(event))
    if (event.type === 'retry') say(waitText(event))
    if (event.type === 'response' && verbosity.verbose) {
      tell(`${event.request.method} ${printable(event.request.path)}: ${event.status}, ${quotaWords(event.report)}`)
    }
  }

  /** In a batch failures come last, where they are seen; a single one needs no summary. */
  function endBatch(records: readonly ItemRecord[]): void {
    if (batchSize > 1) say(summaryLine(records))
    for (const { error, status, subject } of records) {
      if (error !== null && status !== 'skipped') fail(error, subject)
    }
  }

  function list(upload: Upload): void {
    if (stdoutTerminal) table.add(upload)
    else print((fields ?? ['slug', 'url']).map((field) => rawCell(upload, field)).join('\t'))
  }

  function finish(event: Extract<CliEvent, { type: 'item-finished' }>): void {
    links(event)
    if (batchSize > 1 || event.record.error === null) say(progressLine(event.record))
  }

  function pairs(rows: readonly (readonly [string, string])[]): void {
    const lines = stdoutTerminal ? alignColumns(rows) : rows.map((row) => row.join('\t'))
    lines.forEach(print)
  }

  function ready(event: Extract<CliEvent, { type: 'emulator-ready' }>): void {
    if (verbosity.quiet) return
    for (const line of readyText(event.ready)) (event.withCommand ? tell : print)(line)
  }

  return {
    report(event: CliEvent) {
      switch (event.type) {
        case 'wire':
          return wire(event.event)
        case 'note':
        case 'settled':
          return say(event.text)
        case 'failed':
          return fail(event.failure)
        case 'stopping':
          // With nothing in flight the end is here already.
          return event.inFlight > 0 ? say(stoppingText(event)) : undefined
        case 'upload-listed':
          return list(event.upload)
        case 'list-ended':
          return table.flush()
        case 'upload-shown':
          return pairs(uploadPairs(event.upload, fields, stdoutTerminal))
        case 'stats-shown':
          return pairs(statsPairs(event.stats, event.quota, fields))
        case 'batch-started':
          batchSize = event.total
          return
        case 'item-finished':
          return finish(event)
        case 'batch-ended':
          return endBatch(event.records)
        case 'shown':
          return event.text === '' ? undefined : print(event.text)
        case 'emulator-ready':
          return ready(event)
        default:
          return unreachable(event)
      }
    },
    close() {},
  }
}

function failureLines(
  { message, hint }: Failure,
  subject: ItemRecord['subject'] | undefined,
  palette: Palette,
): readonly string[] {
  const name = subject === undefined ? '' : subjectName(subject)
  const place = name === '' ? '' : `${printable(name)}: `
  return [`${palette.error('fh:')} ${place}${printable(message)}`, ...(hint === null ? [] : [`  ${printable(hint)}`])]
}

function stoppingText({ inFlight, graceMs }: Extract<CliEvent, { type: 'stopping' }>): string {
  return `Stopping: ${inFlight} in flight, with ${formatDuration(graceMs)} to end; press Ctrl-C again to abort`
}

function uploadPairs(upload: Upload, fields: readonly string[] = uploadFields, terminal: boolean) {
  return fields.map((field): [string, string] => [field, terminal ? cellOf(upload, field) : rawCell(upload, field)])
}

function statsPairs(stats: Stats, quota: QuotaReport, fields: readonly string[] | undefined) {
  const rows = { ...stats, ...prefixed(quota) }
  const names = fields?.flatMap((field) => expandField(field, stats, quota)) ?? Object.keys(rows)
  return names.map((name): [string, string] => [name, rawCell(rows, name) || '-'])
}

function prefixed(quota: QuotaReport): object {
  return Object.fromEntries(Object.entries(quota).map(([name, value]) => [`quota_${name}`, value]))
}

function expandField(field: string, stats: Stats, quota: QuotaReport): readonly string[] {
  if (field === 'stats') return Object.keys(stats)
  if (field === 'quota') return Object.keys(prefixed(quota))
  return Object.hasOwn(quota, field) ? [`quota_${field}`] : [field]
}

function quotaWords({ remaining, limit, cost }: { remaining?: number; limit?: number; cost?: number }): string {
  if (remaining === undefined) return 'no word of the quota'
  return `${remaining} of ${limit ?? '?'} units left${cost === undefined ? '' : `, ${cost} spent`}`
}

function readyText({ base_url, api_key, control_url, control_token }: EmulatorReady): readonly string[] {
  return [
    `The emulator is ready at ${base_url}`,
    `API key: ${api_key}`,
    `Control: ${control_url}`,
    ...(control_token === undefined ? [] : [`Control token, for other machines: ${control_token}`]),
    '',
    `export FH_BASE_URL=${base_url} FH_API_KEY=${api_key}`,
  ]
}
