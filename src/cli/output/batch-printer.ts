import { type Clock, steadyClock } from '../../clock.ts'
import type { Failure } from '../failures/failure.ts'
import { printable } from '../format/format.ts'
import { type BatchStarted, type CliEvent, goodNewsFirst, type ItemRecord } from './events.ts'
import { createPlainProgress } from './progress/plain-progress.ts'
import { Transfers } from './progress/transfers.ts'
import { outcomeOf, progressLine, subjectName } from './records.ts'
import type { TextOptions, TextStreams } from './text-streams.ts'

/** Tells people how the items of a batch end, and how far it is. */
export class BatchPrinter {
  readonly #streams: TextStreams
  readonly #options: TextOptions
  readonly #steady: Clock
  /** The files on their way, where progress is shown. */
  transfers: Transfers | undefined
  /** Whether bars show waits. */
  drawsBars = false
  #total = 0
  /** Whether items get lines as they finish. */
  #tells = false
  /** Links and lines, printed in the order of the arguments: each waits for those before it. */
  readonly #ready = new Map<number, string | null>()
  #next = 0
  #lastHint: string | null = null

  constructor(streams: TextStreams, options: TextOptions) {
    this.#streams = streams
    this.#options = options
    this.#steady = steadyClock(options.clock)
  }

  begin({ progress, sizes = [], total }: BatchStarted): void {
    const { verbosity, bars } = this.#options
    this.#total = total
    this.#tells = !verbosity.quiet && progress !== 'none'
    if (!this.#tells || progress === undefined) return
    const isAsked = progress === 'bar' || (progress === 'auto' && bars?.byDefault === true)
    this.drawsBars = bars !== undefined && isAsked && !verbosity.debug
    this.transfers = new Transfers(total, sizes, this.#steady.now)
    const say = (line: string) => this.#streams.say(line)
    const view = bars && this.drawsBars ? bars.view : createPlainProgress(say, this.#steady)
    view.start(this.transfers)
    this.#streams.view = view
  }

  finish({ index, record, link }: Extract<CliEvent, { type: 'item-finished' }>): void {
    const line = link === null ? undefined : this.#lineWithLink(link, record)
    this.#ready.set(index, line ?? link)
    for (; this.#ready.has(this.#next); this.#next += 1) {
      const line = this.#ready.get(this.#next)
      this.#ready.delete(this.#next)
      if (line) this.#streams.print(line)
    }
    // The summary counts the items that were never started: there may be very many.
    if (record.status === 'not_started') return
    if (record.error !== null) this.#fail(record.error, record)
    else if (this.#tells && line === undefined) this.#streams.say(progressLine(record, this.#streams.page.now))
    this.transfers?.finish(index, outcomeOf(record))
  }

  end(records: readonly ItemRecord[]): void {
    this.drop()
    // A single item needs no summary.
    if (this.#total > 1) this.#streams.say(this.#summary(records))
  }

  /** Draws no more: the run is over. */
  drop(): void {
    this.#streams.view?.end()
    this.#streams.view = undefined
    this.drawsBars = false
  }

  /** A line with the link of a file that says how the file ended; undefined where the file gets a line of its own. */
  #lineWithLink(link: string, record: ItemRecord): string | undefined {
    if (!this.#tells || !this.#options.isOneTerminal) return undefined
    if (this.#total === 1 && record.status !== 'skipped') return link
    // A text to paste, such as Markdown, stays a line of its own.
    const isPlain = record.path !== undefined || /^https?:\S+$/.test(link)
    return isPlain ? progressLine(record, this.#streams.page.now, link) : undefined
  }

  /** A single item gets no word before its error. A failure does not repeat the hint of the one before. */
  #fail(error: Failure, { subject, status }: ItemRecord): void {
    if (error.code === 'interrupted') {
      this.#streams.say(`interrupted ${printable(subjectName(subject))}`)
      return
    }
    const word = this.#tells && this.#total > 1 ? status : 'fh:'
    const { hint } = error
    this.#streams.fail(hint === this.#lastHint ? { ...error, hint: null } : error, subject, word)
    this.#lastHint = hint
  }

  /** `2 uploaded, 1 failed` */
  #summary(records: readonly ItemRecord[]): string {
    const byOutcome = Map.groupBy(records, outcomeOf)
    const words = goodNewsFirst.filter((word) => byOutcome.has(word))
    return words.map((word) => `${byOutcome.get(word)?.length} ${word}`).join(', ')
  }
}
