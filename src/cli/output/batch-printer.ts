import { type Clock, startTimer, steadyClock } from '../../clock.ts'
import { counted } from '../../protocol/quantities.ts'
import { type Failure, missingSlug } from '../failures/failure.ts'
import { formatByteSize, formatDuration, printable } from '../format/format.ts'
import {
  type BatchStarted,
  type CliEvent,
  goodNewsFirst,
  type ItemRecord,
  type Page,
  type Subject,
  type Verbosity,
} from './events.ts'
import type { ProgressView } from './progress/bars.ts'
import { createPlainProgress } from './progress/plain-progress.ts'
import { Transfers } from './progress/transfers.ts'
import { outcomeOf, progressLine, remarksOn, subjectName } from './records.ts'
import { fitMiddle, textWidth } from './terminal/terminal-text.ts'

interface BatchPrinterOptions {
  /** Prints a line on stdout. */
  readonly print: (line: string) => void
  /** Prints a line on stderr, unless --quiet is given. */
  readonly say: (line: string) => void
  readonly fail: (failure: Failure, subjects: readonly Subject[], word: string, others?: string) => void
  readonly page: () => Page
  readonly verbosity: Verbosity
  /** Undefined if stderr is not a terminal that can redraw lines. `byDefault`: whether `--progress auto` draws them. */
  readonly bars: { readonly view: ProgressView; readonly byDefault: boolean } | undefined
  /** Whether stdout and stderr are on one terminal, so that one line tells of a file and its link. */
  readonly isOneTerminal: boolean
  readonly clock: Clock
}

/** So many items that end alike get a line each, where few do. */
const MOST_ALIKE = 5
/** A small window has so many lines. */
const SCREEN_LINES = 20
/** What ends within this time needs no words but its results, and its figures say nothing. */
const QUIET_MS = 1_000

/** Tells people how the items of a batch end, and how far it is. */
export class BatchPrinter {
  readonly #options: BatchPrinterOptions
  readonly #steady: Clock
  #progress: ProgressView | undefined
  #transfers: Transfers | undefined
  #startedAt = 0
  #total = 0
  /** Whether items get lines as they finish. */
  #tells = false
  /** Whether bars are drawn. */
  #isDrawn = false
  readonly #alike = new Map<string, number>()
  /** What a short run leaves out; undefined once the run has lasted a second. */
  #held: string[] | undefined
  #stopTimer = () => {}
  /** Links and lines, printed in the order of the arguments: each waits for those before it. */
  readonly #ready = new Map<number, string | null>()
  #next = 0
  #lastHint: string | null = null

  constructor(options: BatchPrinterOptions) {
    this.#options = options
    this.#steady = steadyClock(options.clock)
  }

  /** Where lines have to be written while something is drawn. */
  get view(): ProgressView | undefined {
    return this.#progress
  }

  /** Whether bars show waits. */
  get drawsBars(): boolean {
    return this.#isDrawn && this.#progress !== undefined
  }

  begin({ transfer, total }: BatchStarted): void {
    const { verbosity, bars, isOneTerminal, say } = this.#options
    this.#total = total
    this.#tells = !verbosity.quiet && transfer?.progress !== 'none'
    if (!this.#tells || transfer === undefined) return
    const { progress, sizes, verb } = transfer
    const isAsked = progress === 'bar' || (progress === 'auto' && bars?.byDefault === true)
    this.#isDrawn = bars !== undefined && isAsked && !verbosity.debug
    if (!this.#isDrawn && progress !== 'plain' && !verbosity.verbose && !verbosity.debug && !isOneTerminal) {
      this.#held = []
      this.#stopTimer = startTimer(this.#options.clock, QUIET_MS, () => this.release())
    }
    this.#startedAt = this.#steady.now()
    this.#transfers = new Transfers(total, sizes)
    this.#progress = bars && this.#isDrawn ? bars.view : createPlainProgress(say, this.#steady)
    this.#progress.start(this.#transfers, verb, this.#steady.now)
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
      if (line) this.#options.print(line)
    }
    if (!told) this.#tell(record)
    this.#transfers?.finish(index, outcomeOf(record), record.upload?.size)
  }

  /** Prints what was held back, because the run will last longer. */
  release(): void {
    const lines = this.#held ?? []
    this.#held = undefined
    for (const line of lines) this.#options.say(line)
  }

  end(records: readonly ItemRecord[]): void {
    this.#progress?.end()
    this.#progress = undefined
    // A single item needs no summary.
    if (this.#total > 1) {
      const isAsUsual = records.every(({ status }) => status === 'uploaded' || status === 'downloaded')
      const say = isAsUsual ? this.#sayUnlessShort.bind(this) : this.#options.say
      say(this.#summary(records))
    }
    this.drop()
    this.#tellFailures(records)
  }

  /** Forgets what was held back, and draws no more: the run is over. */
  drop(): void {
    this.#progress?.end()
    this.#stopTimer()
    this.#held = undefined
  }

  /** Tells what has failed, unless each was told and the first is still in sight; many for one reason together. */
  #tellFailures(records: readonly ItemRecord[]): void {
    this.#lastHint = null
    const told = records.filter(({ status }) => status !== 'not_started')
    const isInSight = this.#tellsEach && told.length <= SCREEN_LINES
    const failed = records.flatMap((record) =>
      record.error === null || record.status === 'not_started' ? [] : [{ ...record, error: record.error }],
    )
    for (const group of Map.groupBy(failed, ({ error }) => sharedReason(error)).values()) {
      if (group.length > MOST_ALIKE && (!isInSight || this.#isBrief)) this.#fail(group, 'fh:')
      else if (!isInSight) for (const record of group) this.#fail([record], 'fh:')
    }
  }

  /** A single item gets no line before its error. */
  get #tellsEach(): boolean {
    return this.#tells && this.#total > 1
  }

  /** Whether only the first items that end alike get a line. */
  get #isBrief(): boolean {
    return this.#isDrawn && !this.#options.verbosity.verbose
  }

  /** A line with the link of a file that says how the file ended; undefined where the file gets a line of its own. */
  #lineWithLink(link: string, record: ItemRecord): string | undefined {
    const { isOneTerminal, page } = this.#options
    if (!this.#tells || !isOneTerminal || !('file' in record.subject)) return undefined
    const now = this.#options.clock.now()
    if (this.#isDrawn) {
      const isPlain = this.#total === 1 && record.status !== 'skipped'
      return isPlain ? link : besideLink(link, remarksOn(record, now), page())
    }
    // A text to paste, such as Markdown, stays a line of its own.
    if (!/^https?:\S+$/.test(link)) return undefined
    return `${progressLine(record, now).replace(/: already there as .*?(?= \(|$)/, ', already there')}: ${link}`
  }

  #tell(record: ItemRecord): void {
    const { status, error } = record
    // The summary counts the items that were never started: there may be very many.
    if (!this.#tells || status === 'not_started') return
    const how = error === null ? status : sharedReason(error)
    const count = (this.#alike.get(how) ?? 0) + 1
    this.#alike.set(how, count)
    // The summary counts the others, and the end names those that have failed.
    const isTold = !this.#isBrief || count <= MOST_ALIKE
    if (error !== null) {
      if (this.#tellsEach && isTold) this.#fail([{ ...record, error }], status)
      return
    }
    const line = progressLine(record, this.#options.clock.now())
    if (status === 'skipped') {
      if (isTold) this.#options.say(line)
    } else if (!this.#isDrawn || !this.#options.isOneTerminal) this.#sayUnlessShort(line)
  }

  #sayUnlessShort(line: string): void {
    if (this.#held === undefined) this.#options.say(line)
    else this.#held.push(line)
  }

  #fail(records: readonly (ItemRecord & { readonly error: Failure })[], word: string): void {
    const [first] = records
    if (first === undefined) return
    // A failure does not repeat the hint of the one before.
    const { hint } = first.error
    const others = this.#isBrief ? '; -v names each' : ', named above'
    const subjects = records.map(({ subject }) => subject)
    const failure = hint === this.#lastHint ? { ...first.error, hint: null } : first.error
    this.#options.fail(failure, subjects, word, this.#tellsEach ? others : undefined)
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

/** Of more items that failed for one reason, the first ones are named. */
const MOST_NAMED = 20

/**
 * A failure as text: what happened, to which files or request, and below it what to do.
 * @param subjects those that failed for this reason
 * @param word what the first line begins with
 * @param others what to say of those that are not named; undefined to name them all
 */
export function failureLines(
  failure: Failure,
  subjects: readonly Subject[],
  word: string,
  others?: string,
): readonly string[] {
  const names = subjects.map((subject) => printable(subjectName(subject)))
  const message = printable(failure.message)
  const hint = failure.hint === null ? [] : [`  ${printable(failure.hint)}`]
  const slug = missingSlug(failure)
  const [name = ''] = names
  // A message about a slug names it.
  if (names.length <= 1) return [`${word} ${name === '' || name === slug ? '' : `${name}: `}${message}`, ...hint]
  const most = others === undefined ? names.length : MOST_NAMED
  const more = names.length > most ? [`and ${names.length - most} more${others}`] : []
  const named = [...names.slice(0, most), ...more].join(', ')
  if (slug !== undefined) {
    const missing = `${counted(names.length, 'upload')}: no upload has these slugs (${named})`
    return [`${word} ${missing}`, '  By name: fh list --name GLOB']
  }
  const one = subjects.some((subject) => 'file' in subject) ? 'file' : 'upload'
  // A message about a file is the rest of a sentence that begins with its name.
  const each = /^(?:is|was|has|does|cannot) /.test(message) ? 'each ' : ''
  return [`${word} ${counted(names.length, one)}: ${each}${message} (${named})`, ...hint]
}

/** The same for all that fail alike. */
function sharedReason(failure: Failure): string {
  const { code, message, hint } = failure
  return missingSlug(failure) === undefined ? [code, message, hint].join('\n') : code
}
