import { type Clock, startTimer, steadyClock } from '../../clock.ts'
import type { Failure } from '../failures/failure.ts'
import { formatByteSize, formatDuration } from '../format/format.ts'
import { type BatchStarted, type CliEvent, goodNewsFirst, type ItemRecord, type Page, type Subject } from './events.ts'
import { createPlainProgress } from './progress/plain-progress.ts'
import { Transfers } from './progress/transfers.ts'
import { outcomeOf, progressLine, remarksOn } from './records.ts'
import { fitMiddle, textWidth } from './terminal/terminal-text.ts'
import type { TextOptions, TextStreams } from './text-streams.ts'

/** A small window has so many. */
const SCREEN_LINES = 20
/** What ends within this time needs no words but its results, and its figures say nothing. */
const QUIET_MS = 1_000

/** Tells people how the items of a batch end, and how far it is. */
export class BatchPrinter {
  readonly #streams: TextStreams
  readonly #options: TextOptions
  readonly #steady: Clock
  /** Whether stdout and stderr are on one terminal, so that one line tells of a file and its link. */
  readonly #isOneTerminal: boolean
  #transfers: Transfers | undefined
  #startedAt = 0
  #total = 0
  /** Whether items get lines as they finish. */
  #tells = false
  /** Whether bars are drawn. */
  #isDrawn = false
  /** What a short run leaves out; undefined once the run has lasted a second. */
  #held: string[] | undefined
  #stopTimer = () => {}
  /** Links and lines, printed in the order of the arguments: each waits for those before it. */
  readonly #ready = new Map<number, string | null>()
  #next = 0
  /** In the order in which they ended. */
  readonly #ended: ItemRecord[] = []
  #lastHint: string | null = null

  constructor(streams: TextStreams, options: TextOptions) {
    this.#streams = streams
    this.#options = options
    this.#steady = steadyClock(options.clock)
    this.#isOneTerminal = options.terminals.stdout !== undefined && options.terminals.stderr !== undefined
  }

  /** Whether bars show waits. */
  get drawsBars(): boolean {
    return this.#isDrawn && this.#streams.view !== undefined
  }

  begin({ transfer, total }: BatchStarted): void {
    const { verbosity, bars, clock } = this.#options
    this.#total = total
    this.#tells = !verbosity.quiet && transfer?.progress !== 'none'
    if (!this.#tells || transfer === undefined) return
    const { progress, sizes, verb } = transfer
    const isAsked = progress === 'bar' || (progress === 'auto' && bars?.byDefault === true)
    this.#isDrawn = bars !== undefined && isAsked && !verbosity.debug
    if (!this.#isDrawn && progress !== 'plain' && !verbosity.verbose && !verbosity.debug && !this.#isOneTerminal) {
      this.#held = []
      this.#stopTimer = startTimer(clock, QUIET_MS, () => this.release())
    }
    this.#startedAt = this.#steady.now()
    this.#transfers = new Transfers(total, sizes)
    const say = (line: string) => this.#streams.say(line)
    const view = bars && this.#isDrawn ? bars.view : createPlainProgress(say, this.#steady)
    view.start(this.#transfers, verb, this.#steady.now)
    this.#streams.view = view
  }

  /** What the transfers of the batch are told. */
  follow(change: (transfers: Transfers, now: number) => void): void {
    if (this.#transfers !== undefined) change(this.#transfers, this.#steady.now())
  }

  finish({ index, record, link }: Extract<CliEvent, { type: 'item-finished' }>): void {
    const told = link && this.#lineWithLink(link, record)
    this.#ready.set(index, told ?? link)
    for (; this.#ready.has(this.#next); this.#next += 1) {
      const line = this.#ready.get(this.#next)
      this.#ready.delete(this.#next)
      if (line) this.#streams.print(line)
    }
    if (!told) this.#tell(record)
    // What was not started gets no line.
    if (record.status !== 'not_started') this.#ended.push(record)
    this.#transfers?.finish(index, outcomeOf(record), record.upload?.size)
  }

  /** Prints what was held back, because the run will last longer. */
  release(): void {
    const lines = this.#held ?? []
    this.#held = undefined
    for (const line of lines) this.#streams.say(line)
  }

  end(records: readonly ItemRecord[]): void {
    this.#endView()
    // A single item needs no summary.
    if (this.#total > 1) {
      const isAsUsual = records.every(({ status }) => status === 'uploaded' || status === 'downloaded')
      const summary = this.#summary(records)
      if (isAsUsual) this.#sayUnlessShort(summary)
      else this.#streams.say(summary)
    }
    this.drop()
    this.#tellFailures(records.filter(({ status }) => status !== 'not_started'))
  }

  /** All that were not told as they happened; of the others those that are out of sight, as many as fit on a screen. */
  #tellFailures(ended: readonly ItemRecord[]): void {
    const inSight = this.#tellsEach ? this.#ended.slice(-SCREEN_LINES) : []
    const left = ended.flatMap((record) =>
      record.error === null || inSight.includes(record) ? [] : [{ ...record, error: record.error }],
    )
    this.#lastHint = null
    for (const { error, subject } of this.#tellsEach ? left.slice(-SCREEN_LINES) : left)
      this.#fail(error, subject, 'fh:')
  }

  /** Forgets what was held back, and draws no more: the run is over. */
  drop(): void {
    this.#endView()
    this.#stopTimer()
    this.#held = undefined
  }

  #endView(): void {
    this.#streams.view?.end()
    this.#streams.view = undefined
  }

  /** Whether failures are told as they happen. A single item gets no line before its error. */
  get #tellsEach(): boolean {
    return this.#tells && this.#total > 1
  }

  /** A line with the link of a file that says how the file ended; undefined where the file gets a line of its own. */
  #lineWithLink(link: string, record: ItemRecord): string | undefined {
    if (!this.#tells || !this.#isOneTerminal || !('file' in record.subject)) return undefined
    const { page } = this.#streams
    if (this.#isDrawn) {
      const isPlain = this.#total === 1 && record.status !== 'skipped'
      return isPlain ? link : besideLink(link, remarksOn(record, page.now), page)
    }
    // A text to paste, such as Markdown, stays a line of its own.
    return /^https?:\S+$/.test(link) ? progressLine(record, page.now, link) : undefined
  }

  #tell(record: ItemRecord): void {
    const { status, error } = record
    // The summary counts the items that were never started: there may be very many.
    if (!this.#tells || status === 'not_started') return
    if (error !== null) {
      if (this.#tellsEach) this.#fail(error, record.subject, status)
      return
    }
    const line = progressLine(record, this.#streams.page.now)
    if (status === 'skipped') this.#streams.say(line)
    else if (!this.#isDrawn || !this.#isOneTerminal) this.#sayUnlessShort(line)
  }

  #sayUnlessShort(line: string): void {
    if (this.#held === undefined) this.#streams.say(line)
    else this.#held.push(line)
  }

  /** A failure does not repeat the hint of the one before. */
  #fail(error: Failure, subject: Subject, word: string): void {
    const { hint } = error
    this.#streams.fail(hint === this.#lastHint ? { ...error, hint: null } : error, subject, word)
    this.#lastHint = hint
  }

  /** `2 uploaded, 1 failed`; of a longer run `2 uploaded (24 MB in 12 s), 1 failed`. */
  #summary(records: readonly ItemRecord[]): string {
    const byOutcome = Map.groupBy(records, outcomeOf)
    return goodNewsFirst
      .flatMap((word) => {
        const alike = byOutcome.get(word)
        return alike === undefined ? [] : [`${alike.length} ${word}${this.#figures(word, alike)}`]
      })
      .join(', ')
  }

  #figures(word: string, records: readonly ItemRecord[]): string {
    const tookMs = this.#steady.now() - this.#startedAt
    if (this.#transfers === undefined || tookMs < QUIET_MS || !/^(up|down)loaded$/.test(word)) return ''
    const bytes = records.reduce((sum, { upload }) => sum + (upload?.size ?? 0), 0)
    return ` (${formatByteSize(bytes)} in ${formatDuration(tookMs)})`
  }
}

/** A shorter part of a remark is not worth printing. */
const SHORTEST_REMARK = 8

/** A link, and beside it the first remark that has room; the last one is cut. The link alone where it says it already. */
function besideLink(link: string, remarks: readonly string[], { terminal, palette }: Page): string {
  const room = (terminal?.width() ?? 0) - textWidth(link) - 3
  const remark = remarks.find((text) => textWidth(text) <= room) ?? remarks.at(-1) ?? ''
  if (link.includes(remark) || room < Math.min(SHORTEST_REMARK, textWidth(remark))) return link
  return `${link}  ${palette.faint(fitMiddle(remark, room, terminal?.unicode))}`
}
