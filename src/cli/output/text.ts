import { steadyClock } from '../../clock.ts'
import type { ClientEvent, Clock } from '../../index.ts'
import type { Failure } from '../failures/failure.ts'
import { formatDuration, printable } from '../format/format.ts'
import { type Bars, createHeldLines, createOutcomeLines, createWaitLines, displayOf } from './batch-display.ts'
import { createOrderedLinks, failureLines, outcomeOf, skippedRemark, subjectName } from './batch-text.ts'
import { type EventHandlers, handle, type ItemRecord, type Output, type Reporter, type Verbosity } from './events.ts'
import { withName } from './fields.ts'
import type { ProgressView } from './progress/bars.ts'
import { createPlainProgress } from './progress/plain-progress.ts'
import { Transfers } from './progress/transfers.ts'
import type { AccountView } from './tables/account-view.ts'
import type { Palette } from './terminal/terminal.ts'
import { answerText, readyText, requestLines, traceLines, type Wait, waitText } from './wire-text.ts'

export interface TextReporterOptions {
  readonly output: Output
  readonly verbosity: Verbosity
  /** Makes the view that prints data on stdout. */
  readonly createView: (print: (line: string) => void) => AccountView
  /** Undefined if stderr is not a terminal that can redraw lines. */
  readonly bars: Bars | undefined
  readonly clock: Clock
  /** Breaks prose where it is too long for a terminal. */
  readonly wrap: Readonly<Record<'stdout' | 'stderr', (text: string) => string>>
  /** The styles for stdout and stderr. */
  readonly palettes: { readonly stdout: Palette; readonly stderr: Palette }
}

/** For people and pipes: prints data on stdout, everything else on stderr. */
export function createTextReporter(options: TextReporterOptions): Reporter {
  const { output, verbosity, bars, palettes, clock } = options
  const steady = steadyClock(clock)
  let progress: ProgressView | undefined
  let transfers: Transfers | undefined
  const put = (write: (text: string) => void) => (line: string) => {
    const writeLine = () => write(`${line}\n`)
    if (progress === undefined) writeLine()
    else progress.above(writeLine)
  }
  const print = put(output.stdout)
  const tell = put(output.stderr)
  const message = (line: string) => tell(options.wrap.stderr(line))
  const say = (line: string) => {
    if (!verbosity.quiet) message(line)
  }
  const printNonEmpty = (text: string) => {
    if (text !== '') print(text)
  }
  const links = createOrderedLinks(print)
  const held = createHeldLines(say, clock)
  // A run that waits is no short one.
  const waits = createWaitLines<Wait>(clock.now, (wait, at) => {
    held.release()
    say(waitText(wait, at))
  })
  let view: AccountView | undefined
  const data = () => {
    view ??= options.createView(print)
    return view
  }
  const outcomes = createOutcomeLines({ say, held, fail, now: clock.now })
  let linksReport = false
  let isSingle = false
  let startedAt = 0

  function fail(failure: Failure, subjects: readonly ItemRecord['subject'][] = [], word = 'fh:', others?: string) {
    failureLines(failure, subjects, palettes.stderr.error(word), others).forEach(message)
    if (verbosity.debug && failure.stack !== null) tell(failure.stack.split('\n').map(printable).join('\n'))
  }

  function sayAnswer({ request, status, report }: Extract<ClientEvent, { type: 'response' }>): void {
    if (verbosity.verbose) message(`${request.method} ${printable(request.path)}: ${status}, ${quotaText(report)}`)
  }

  function sayWait(event: ClientEvent): void {
    if (event.type === 'wait') waits(event)
    // Without a delay of its own, the retry waits for the pacer, which reports that wait itself.
    if (event.type === 'retry' && event.delayMs > 0) say(waitText(event))
  }

  /** Where links replace the lines about successes, that of a skipped file says why it was skipped. */
  function skippedLine(link: string, record: ItemRecord): string | undefined {
    if (!linksReport || record.status !== 'skipped' || !('file' in record.subject)) return undefined
    return bars?.remarkLink(link, skippedRemark(record, clock.now()))
  }

  /** With several links, adds the file's name. */
  function linkLine(link: string, { subject }: ItemRecord): string {
    const nameLink = linksReport && !isSingle && 'file' in subject ? bars?.nameLink : undefined
    return nameLink?.(link, printable(subjectName(subject))) ?? link
  }

  const handlers: EventHandlers = {
    wire({ event }) {
      if (verbosity.debug) traceLines(event).forEach(tell)
      else if (event.type === 'response') sayAnswer(event)
      // Bars show waits themselves.
      else if (progress === undefined || progress !== bars?.view) sayWait(event)
    },
    note: ({ text }) => say(text),
    effect: ({ text }) => say(text),
    warning({ message: text, hint, isBrief }) {
      if (isBrief) return message(`${text}; ${hint}`)
      message(`${palettes.stderr.error('fh: warning:')} ${printable(text)}`)
      message(`  ${printable(hint)}`)
    },
    failed: ({ failure }) => fail(failure),
    stopping({ inFlight, graceMs }) {
      // With nothing in flight, the run ends at once.
      const have = inFlight === 1 ? 'has' : 'have'
      const grace = formatDuration(graceMs)
      if (inFlight > 0) say(`Stopping: ${inFlight} in flight ${have} ${grace} to finish; press Ctrl-C again to abort`)
    },
    'upload-listed': ({ upload, name }) => data().list(withName(upload, name)),
    'list-ended': () => data().endList(),
    'uploads-shown'({ uploads }) {
      for (const [index, { upload, name }] of uploads.entries()) {
        if (index > 0) print('')
        data().show(withName(upload, name))
      }
    },
    'stats-shown': ({ stats, quota }) => data().stats(stats, quota),
    'media-left-out'({ files }) {
      if (!verbosity.verbose) return
      for (const { file, kind } of files) say(`left out ${printable(file)} (${kind})`)
    },
    'batch-started'(batch) {
      const { transfer, total } = batch
      const display = displayOf(batch, verbosity, bars)
      outcomes.begin(total, display)
      linksReport = display.lines === 'no success'
      isSingle = total === 1
      if (transfer === undefined || display.progress === 'none') return
      if (display.hidesQuickSuccesses) held.begin()
      progress = display.progress === 'bars' && bars ? bars.view : createPlainProgress(say, steady)
      startedAt = steady.now()
      transfers = new Transfers(total, transfer.sizes)
      progress.start(transfers, transfer.verb, steady.now)
    },
    'item-finished'(event) {
      const { link, record, index } = event
      const skipped = link && skippedLine(link, record)
      links({ ...event, link: skipped ?? (link && linkLine(link, record)) })
      outcomes.finish(record, Boolean(skipped))
      transfers?.finish(index, outcomeOf(record), record.upload?.size)
    },
    'item-started': ({ index, name, total }) => transfers?.start(index, name, steady.now(), total),
    'item-moved': ({ index, bytes, total }) => transfers?.move(index, bytes, total, steady.now()),
    'item-wire': ({ index, event }) => transfers?.event(index, event, steady.now()),
    'batch-expected': ({ forecast }) => transfers?.expect(forecast),
    'batch-ended'({ records }) {
      progress?.end()
      const figures = transfers && { tookMs: steady.now() - startedAt, rate: transfers.meanRate }
      progress = transfers = undefined
      outcomes.end(records, figures)
    },
    'plan-shown'({ plan, lines }) {
      data().plan(lines)
      for (const { file, error, status } of plan.files)
        if (error !== null && status === 'failed') fail(error, [{ file }])
    },
    'quota-shown': ({ lines }) => lines(palettes.stdout).map(options.wrap.stdout).forEach(print),
    'answer-shown': (event) => printNonEmpty(answerText(event)),
    document: ({ text, isProse }) => printNonEmpty(isProse ? options.wrap.stdout(text) : text),
    'emulator-ready'(event) {
      if (verbosity.quiet) return
      const { withCommand } = event
      // The command gets key and addresses from its environment.
      const isBrief = withCommand && !verbosity.verbose && !verbosity.debug
      for (const line of readyText(event, isBrief)) (withCommand ? tell : print)(line)
    },
    'request-served': ({ request }) => requestLines(request, verbosity, palettes.stderr).forEach(tell),
  }

  return {
    report: (event) => handle(handlers, event),
    close() {
      progress?.end()
      held.drop()
    },
  }
}

function quotaText({ remaining, limit, cost }: { remaining?: number; limit?: number; cost?: number }): string {
  if (remaining === undefined) return 'no quota headers'
  return `${remaining} of ${limit ?? '?'} units left${cost === undefined ? '' : `, ${cost} spent`}`
}
