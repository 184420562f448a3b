import { basename } from 'node:path'
import { SourceError, type Upload } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import { CliError } from '../failures/cli-error.ts'
import { describeFailure, type Failure } from '../failures/failure.ts'
import { formatByteSize, formatDate, formatDuration, printable, relativeTime, shownFile } from '../format/format.ts'
import { type CliEvent, goodNewsFirst, type ItemRecord, type OutcomeWord } from './events.ts'
import { grouped } from './help-layout.ts'

/** Prints links in the order of the arguments, holding each back until all items before it are finished. */
export function createOrderedLinks(print: (link: string) => void) {
  const waiting = new Map<number, string | null>()
  let next = 0
  return ({ index, link }: Extract<CliEvent, { type: 'item-finished' }>) => {
    waiting.set(index, link)
    for (; waiting.has(next); next += 1) {
      const ready = waiting.get(next)
      waiting.delete(next)
      if (ready) print(ready)
    }
  }
}

/**
 * The line about a finished item.
 * @param now epoch milliseconds
 */
export function progressLine(record: ItemRecord, now: number): string {
  const { subject, status, path, upload, known } = record
  const name = printable(subjectName(subject))
  if (isToDelete(record) && upload !== null) {
    const details = [...(record.name ? [record.name] : []), ...uploadFacts(upload, now)]
    return `would delete ${name} (${details.join(', ')})`
  }
  if (status === 'skipped' && path) return `kept ${printable(path)}: it exists already, with the same size`
  if (status === 'skipped' && upload !== null) {
    return `skipped ${name}: already there as ${printable(upload.slug)}${proof(known, now)}`
  }
  const transferred = status === 'uploaded' || status === 'downloaded'
  if (transferred && upload !== null) return `${status} ${name} (${formatByteSize(upload.size)})`
  return `${status} ${name}`
}

/** About a skipped file, beside its link: `a.png: already there (b.png, uploaded 2 days ago)`. */
export function skippedRemark({ subject, known }: ItemRecord, now: number): string {
  return `${printable(subjectName(subject))}: already there${proof(known, now)}`
}

/** What shows that the content is the same: the name it was uploaded under, and when. */
function proof(known: ItemRecord['known'], now: number): string {
  if (known === undefined) return ''
  const when = relativeTime(known.at, now) ?? formatDate(new Date(known.at).toISOString())
  return ` (${printable(known.name)}, uploaded ${when})`
}

/** `2 uploaded, 1 failed`; with figures `2 uploaded (24 MB in 12 s, sent at 2.1 MB/s), 1 failed`. */
export function summaryLine(records: readonly ItemRecord[], figures?: RunFigures): string {
  return goodNewsFirst
    .flatMap((word) => {
      const alike = records.filter((record) => outcomeOf(record) === word)
      return alike.length === 0 ? [] : [`${alike.length} ${word}${figuresText(word, alike, figures)}`]
    })
    .join(', ')
}

/** How long a run took, and its bytes per second while something was in transfer, if anything was. */
export interface RunFigures {
  readonly tookMs: number
  readonly rate: number | undefined
}

/** Figures of a shorter run say nothing. */
const LEAST_TOLD_MS = 1_000

function figuresText(word: OutcomeWord, records: readonly ItemRecord[], figures: RunFigures | undefined): string {
  if (word !== 'uploaded' && word !== 'downloaded') return ''
  if (figures === undefined || figures.tookMs < LEAST_TOLD_MS) return ''
  const { tookMs, rate } = figures
  const bytes = records.reduce((sum, { upload }) => sum + (upload?.size ?? 0), 0)
  const verb = word === 'uploaded' ? 'sent' : 'received'
  const speed = rate === undefined ? '' : `, ${verb} at ${formatByteSize(Math.round(rate))}/s`
  return ` (${formatByteSize(bytes)} in ${formatDuration(tookMs)}${speed})`
}

/**
 * The type, size and age of an upload.
 * @param now epoch milliseconds
 */
export function uploadFacts({ mime_type, size, created_at }: Upload, now: number): readonly string[] {
  const age = relativeTime(Date.parse(created_at), now) ?? formatDate(created_at)
  return [printable(mime_type), formatByteSize(size), age]
}

/** Of more items that failed for one reason, the first ones are named. */
const MOST_NAMED = 20

/**
 * A failure as text: what happened, to which files or request, and a hint.
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
  const names = subjects.map(subjectName)
  const { place, message } = placeAndMessage(failure, names[0] ?? '')
  const hint = failure.hint === null ? [] : [`  ${printable(failure.hint)}`]
  if (names.length <= 1) return [`${word} ${place === '' ? '' : `${printable(place)}: `}${printable(message)}`, ...hint]
  const one = subjects.some((subject) => 'file' in subject) ? 'file' : 'upload'
  // A message about a file is the rest of a sentence that begins with its name.
  const each = /^(?:is|was|has|does|cannot) /.test(message) ? 'each ' : ''
  const most = others === undefined ? names.length : MOST_NAMED
  const more = names.length > most ? [`and ${names.length - most} more${others}`] : []
  const named = [...names.slice(0, most).map(printable), ...more].join(', ')
  return [`${word} ${counted(names.length, one)}: ${each}${printable(message)}`, `  ${named}`, ...hint]
}

/** What failed, by reason: those for the first one first. */
export function failuresByReason(records: readonly ItemRecord[]): readonly (readonly ItemRecord[])[] {
  const failed = records.flatMap((record) =>
    record.error === null || record.status === 'not_started' ? [] : [[sharedReason(record.error), record] as const],
  )
  return [...grouped(failed).values()]
}

/** The same for all that fail alike. */
export function sharedReason(failure: Failure): string {
  return [failure.code, placeAndMessage(failure, '').message, failure.hint].join('\n')
}

/** For an upload that does not exist, shows `slug: not found` instead of the request. */
function placeAndMessage(
  { code, message, httpStatus, request, serviceMessage }: Failure,
  name: string,
): { readonly place: string; readonly message: string } {
  const [, slug] = /\/api\/uploads\/([^/]+)$/.exec(request?.path ?? '') ?? []
  const isMissing = code === 'not-found' && (httpStatus === 404 || httpStatus === 410)
  if (!isMissing || slug === undefined) return { place: name, message }
  return { place: name === '' ? slug : name, message: `not found${serviceRemark(serviceMessage ?? '')}` }
}

/** The service's message, if it says more than "not found". PHP class names are cut to their last part. */
function serviceRemark(message: string): string {
  if (message === '' || /^not found\.?$/i.test(message)) return ''
  return ` (${message.replaceAll(/\[(?:\w+\\)+(\w+)\]/g, '[$1]')})`
}

type Subject = ItemRecord['subject']

/**
 * The record of an item that failed. Its message does not begin with the file's name, which is printed before it.
 * @param path of a file that was not read from the subject's path
 */
export function failedRecord(subject: Subject, error: unknown, path = subjectName(subject)): ItemRecord {
  const failure = describeFailure(error)
  const status = failure.code === 'outcome-unknown' ? 'unknown' : 'failed'
  // The site of a URL is asked for it by this request.
  const names = [
    `GET ${subjectName(subject)}`,
    ...(error instanceof SourceError ? [path, basename(path), '-', 'The data'] : []),
  ]
  const start = names.find((name) => failure.message.startsWith(`${name} `))
  const message = start === undefined ? failure.message : failure.message.slice(start.length + 1)
  return { subject, status, upload: null, error: { ...failure, message } }
}

/** @param stopper why no more items are started; without one the run was interrupted */
export function notStartedRecord(subject: Subject, stopper?: Failure | null): ItemRecord {
  const error = describeFailure(new CliError('not-started', 'Not started, because the run was stopped first'))
  const { exitCode, retryable } = stopper ?? { ...error, retryable: true }
  return { subject, status: 'not_started', upload: null, error: { ...error, exitCode, retryable } }
}

/** Whether a dry run of a deletion has found the upload. */
export function isToDelete({ subject, status, upload, path }: ItemRecord): boolean {
  return status === 'skipped' && 'slug' in subject && upload !== null && path === undefined
}

/** How an item ended, as in "3 uploaded". */
export function outcomeOf(record: ItemRecord): OutcomeWord {
  if (isToDelete(record)) return 'to delete'
  if (record.status === 'not_started') return 'not started'
  return record.status === 'unknown' ? 'of unknown outcome' : record.status
}

export function isDone({ status, error }: ItemRecord): boolean {
  return error === null && (status === 'uploaded' || status === 'skipped')
}

export function subjectName(subject: Subject): string {
  if (!('file' in subject)) return subject.slug
  return subject.file === '-' ? 'standard input' : shownFile(subject.file)
}
