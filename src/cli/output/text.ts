import type { ClientEvent, Clock } from '../../index.ts'
import type { UploadPlan } from '../batch/batch-plan.ts'
import { isNotStarted, subjectName } from '../batch/records.ts'
import { unreachable } from '../failures/cli-error.ts'
import type { Failure } from '../failures/failure.ts'
import { answerText } from './answer-text.ts'
import { createOrderedLinks, failureLines, isUploadedBefore, progressLine, summaryLine } from './batch-text.ts'
import { documentText, effectText } from './documents.ts'
import { readyText, requestLines } from './emulator-text.ts'
import type { BatchStarted, CliEvent, ItemRecord, Output, Reporter, Verbosity } from './events.ts'
import { withName } from './fields.ts'
import { printable } from './format/format.ts'
import { formatDuration } from './format/time.ts'
import { noteText } from './notes.ts'
import { createPlainProgress } from './progress/plain-progress.ts'
import { noProgress, type ProgressView } from './progress/transfer-tracker.ts'
import { quotaLines } from './quota-text.ts'
import type { AccountView } from './tables/account-view.ts'
import type { Palette } from './terminal/color.ts'
import { createWaitLines, traceLines, waitText } from './wait-text.ts'
import { type Warning, warningText } from './warnings.ts'

export interface Bars {
  /** Draws on stderr. */
  readonly view: ProgressView
  /** Whether `--progress auto` draws them: not if other processes may write to the terminal. */
  readonly byDefault: boolean
  /**
   * Adds a file's name to its link; the link then replaces the line about a success. Undefined if stdout is not the
   * terminal of the bars.
   */
  readonly nameLink: ((link: string, name: string) => string) | undefined
}

export interface TextReporterOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  /** Makes the view that prints data on stdout. */
  readonly createView: (print: (line: string) => void) => AccountView
  /** Undefined if stderr is not a terminal that can redraw lines. */
  readonly bars: Bars | undefined
  readonly clock: Clock
  /** The styles for stdout and stderr. */
  readonly palettes: { readonly stdout: Palette; readonly stderr: Palette }
}

/** For people and pipes: prints data on stdout, everything else on stderr. */
export function createTextReporter(options: TextReporterOptions): Reporter {
  const { output, verbosity, bars, palettes, clock } = options
  let progress = noProgress
  const print = (line: string) => progress.above(() => output.stdout(`${line}\n`))
  const tell = (line: string) => progress.above(() => output.stderr(`${line}\n`))
  const say = (line: string) => {
    if (!verbosity.quiet) tell(line)
  }
  const printNonEmpty = (text: string) => {
    if (text !== '') print(text)
  }
  const links = createOrderedLinks(print)
  const waits = createWaitLines(clock.now, say)
  const view = options.createView(print)
  let batchSize = 0
  let reported: 'each' | 'no success' | 'failures' = 'each'

  function startBatch(batch: BatchStarted): void {
    batchSize = batch.total
    const { transfer } = batch
    if (transfer === undefined) return
    if (transfer.progress === 'none' || verbosity.quiet) {
      reported = 'failures'
      return
    }
    const wanted = transfer.progress === 'bar' || (transfer.progress === 'auto' && bars?.byDefault)
    const drawn = wanted && !verbosity.debug && bars !== undefined
    if (drawn && bars.nameLink !== undefined) reported = 'no success'
    progress = drawn ? bars.view : createPlainProgress(say, clock)
    progress.start(batch, transfer)
  }

  /** Prints a line about a finished item, if nothing else shows its result. */
  function sayOutcome(record: ItemRecord): void {
    if (reported === 'failures' || (batchSize === 1 && record.error !== null)) return
    // The summary counts the items that were never started: there may be very many.
    if (isNotStarted(record)) return
    if (reported === 'each' || record.status === 'failed' || record.status === 'skipped')
      say(progressLine(record, clock.now()))
  }

  function fail(failure: Failure, subject?: ItemRecord['subject']): void {
    for (const line of failureLines(failure, subject, palettes.stderr)) tell(line)
    if (verbosity.debug && failure.stack !== null) tell(failure.stack.split('\n').map(printable).join('\n'))
  }

  function warn(warning: Warning): void {
    const { message, hint } = warningText(warning)
    // These two say why the run seems to hang.
    if (warning.type === 'clock-stands' || warning.type === 'output-closed') tell(`${message}; ${hint}`)
    else {
      tell(`${palettes.stderr.error('fh: warning:')} ${printable(message)}`)
      tell(`  ${printable(hint)}`)
    }
  }

  function wire(event: ClientEvent): void {
    if (verbosity.debug) traceLines(event).forEach(tell)
    else if (event.type === 'response') sayAnswer(event)
    // Bars show waits themselves.
    else if (progress !== bars?.view) sayWait(event)
  }

  function sayAnswer({ request, status, report }: Extract<ClientEvent, { type: 'response' }>): void {
    if (verbosity.verbose) tell(`${request.method} ${printable(request.path)}: ${status}, ${quotaText(report)}`)
  }

  function sayWait(event: ClientEvent): void {
    if (event.type === 'wait') waits(event)
    // Without a delay of its own, the retry waits for the pacer, which reports that wait itself.
    if (event.type === 'retry' && event.delayMs > 0) say(waitText(event))
  }

  /** Prints the failures of a batch at the end, where they are not missed. A single item needs no summary. */
  function endBatch(records: readonly ItemRecord[]): void {
    progress.end()
    progress = noProgress
    if (batchSize > 1) say(summaryLine(records))
    if (records.some(isUploadedBefore)) say('To upload the skipped files again, add --force')
    for (const { error, status, subject } of records) {
      if (error !== null && status !== 'skipped') fail(error, subject)
    }
  }

  function finish(event: Extract<CliEvent, { type: 'item-finished' }>): void {
    links({ ...event, link: event.link && linkLine(event.link, event.record) })
    sayOutcome(event.record)
    progress.report(event)
  }

  /** With several links, adds the file's name. */
  function linkLine(link: string, { subject }: ItemRecord): string {
    const nameLink = reported === 'no success' && batchSize > 1 && 'file' in subject ? bars?.nameLink : undefined
    return nameLink?.(link, printable(subjectName(subject))) ?? link
  }

  function showPlan(plan: UploadPlan, now: number): void {
    view.plan(plan, now)
    for (const { file, error, status } of plan.files) if (error !== null && status === 'failed') fail(error, { file })
  }

  function tellReady(event: Extract<CliEvent, { type: 'emulator-ready' }>): void {
    if (verbosity.quiet) return
    const { ready, variables, signIn, withCommand } = event
    // The command gets key and addresses from its environment.
    const isBrief = withCommand && !verbosity.verbose && !verbosity.debug
    for (const line of readyText(ready, { variables, signIn, isBrief })) (withCommand ? tell : print)(line)
  }

  return {
    report(event: CliEvent) {
      switch (event.type) {
        case 'wire':
          return wire(event.event)
        case 'note':
          return say(noteText(event.note))
        case 'effect':
          return say(effectText(event.effect))
        case 'warning':
          return warn(event.warning)
        case 'failed':
          return fail(event.failure)
        case 'stopping':
          // With nothing in flight, the run ends at once.
          return event.inFlight > 0 ? say(stoppingText(event)) : undefined
        case 'upload-listed':
          return view.list(withName(event.upload, event.name))
        case 'list-ended':
          return view.endList()
        case 'upload-shown':
          return view.show(withName(event.upload, event.name))
        case 'stats-shown':
          return view.stats(event.stats, event.quota)
        case 'batch-started':
          return startBatch(event)
        case 'item-finished':
          return finish(event)
        case 'item-started':
        case 'item-moved':
        case 'item-wire':
        case 'batch-expected':
          return progress.report(event)
        case 'batch-ended':
          return endBatch(event.records)
        case 'plan-shown':
          return showPlan(event.plan, event.now)
        case 'quota-shown':
          return quotaLines(event.quota, event.now, palettes.stdout).forEach(print)
        case 'answer-shown':
          return printNonEmpty(answerText(event))
        case 'document':
          return printNonEmpty(documentText(event.document))
        case 'emulator-ready':
          return tellReady(event)
        case 'request-served':
          return requestLines(event.request, verbosity, palettes.stderr).forEach(tell)
        default:
          return unreachable(event)
      }
    },
    close: () => progress.end(),
  }
}

function stoppingText({ inFlight, graceMs }: Extract<CliEvent, { type: 'stopping' }>): string {
  const have = inFlight === 1 ? 'has' : 'have'
  return `Stopping: ${inFlight} in flight ${have} ${formatDuration(graceMs)} to finish; press Ctrl-C again to abort`
}

function quotaText({ remaining, limit, cost }: { remaining?: number; limit?: number; cost?: number }): string {
  if (remaining === undefined) return 'no quota headers'
  return `${remaining} of ${limit ?? '?'} units left${cost === undefined ? '' : `, ${cost} spent`}`
}
