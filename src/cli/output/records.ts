import { basename } from 'node:path'
import { SourceError } from '../../client/errors.ts'
import type { Upload } from '../../index.ts'
import { CliError } from '../failures/cli-error.ts'
import { describeFailure, type Failure } from '../failures/failure.ts'
import { formatByteSize, formatDate, printable, relativeTime, shownFile } from '../format/format.ts'
import type { ItemRecord, Subject } from './events.ts'
import type { OutcomeWord } from './progress/transfers.ts'

/** Its message does not begin with the file's name, which is printed before it. @param path from which the file was read */
export function failedRecord(subject: Subject, error: unknown, path = subjectName(subject)): ItemRecord {
  const failure = describeFailure(error)
  const status = failure.code === 'outcome-unknown' ? 'unknown' : 'failed'
  // The site of a URL is asked for it by this request.
  const ofSource = error instanceof SourceError ? [path, basename(path), '-', 'The data'] : []
  const start = [`GET ${subjectName(subject)}`, ...ofSource].find((name) => failure.message.startsWith(`${name} `))
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
function isToDelete({ subject, status, upload, path }: ItemRecord): boolean {
  return status === 'skipped' && 'slug' in subject && upload !== null && path === undefined
}

export function outcomeOf(record: ItemRecord): OutcomeWord {
  if (isToDelete(record)) return 'to delete'
  if (record.error?.code === 'interrupted') return 'interrupted'
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

/** The line about an item that did not fail. @param link what it ends with */
export function progressLine(record: ItemRecord, now: number, link?: string): string {
  const { subject, status, path, upload } = record
  const name = printable(subjectName(subject))
  const end = link === undefined ? '' : `: ${link}`
  if (isToDelete(record) && upload !== null) {
    const details = [...(record.name ? [record.name] : []), ...uploadFacts(upload, now)]
    return `would delete ${name} (${details.join(', ')})`
  }
  if (status === 'skipped' && path) return `kept ${printable(path)}: it exists already, with the same size`
  if (status === 'skipped' && upload !== null) {
    const there = link === undefined ? `: already there as ${printable(upload.slug)}` : ''
    return `skipped ${name}${there}${proof(record, now, link !== undefined)}${end}`
  }
  const isTransferred = (status === 'uploaded' || status === 'downloaded') && upload !== null
  const detail = isTransferred ? formatByteSize(upload.size) : record.name
  return `${status} ${name}${detail ? ` (${detail})` : ''}${end}`
}

/** What shows that the content is the same: the name it was uploaded under, and when. @param isBrief leaves out its own name */
function proof({ known, subject }: ItemRecord, now: number, isBrief: boolean): string {
  if (known === undefined) return ''
  const when = relativeTime(known.at, now) ?? formatDate(new Date(known.at).toISOString())
  const isOwn = isBrief && known.name === basename(subjectName(subject))
  return ` (${isOwn ? '' : `${printable(known.name)}, `}uploaded ${when})`
}

export function uploadFacts({ mime_type, size, created_at }: Upload, now: number): readonly string[] {
  const age = relativeTime(Date.parse(created_at), now) ?? formatDate(created_at)
  return [printable(mime_type), formatByteSize(size), age]
}
