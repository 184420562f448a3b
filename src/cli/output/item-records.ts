import { basename } from 'node:path'
import { SourceError } from '../../index.ts'
import { CliError } from '../failures/cli-error.ts'
import { describeFailure } from '../failures/failure.ts'
import { shownFile } from '../format/format.ts'
import type { ItemRecord } from './events.ts'

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
    ...(error instanceof SourceError ? [path, basename(path), 'The data'] : []),
  ]
  const message = withoutName(failure.message, names)
  return { subject, status, upload: null, error: { ...failure, message } }
}

function withoutName(message: string, names: readonly string[]): string {
  const name = names.find((candidate) => message.startsWith(`${candidate} `))
  return name === undefined ? message : message.slice(name.length + 1)
}

/** The record of an item that was never started. */
export function notStartedRecord(subject: Subject): ItemRecord {
  const error = new CliError('not-started', 'Not started, because the run was stopped first')
  return { subject, status: 'not_started', upload: null, error: describeFailure(error) }
}

/** Whether an item was never started. */
export function isNotStarted({ status }: ItemRecord): boolean {
  return status === 'not_started'
}

/** Whether a dry run of a deletion has found the upload. */
export function isToDelete({ subject, status, upload, path }: ItemRecord): boolean {
  return status === 'skipped' && 'slug' in subject && upload !== null && path === undefined
}

type Plain = Exclude<ItemRecord['status'], 'unknown' | 'not_started'>

export type OutcomeWord = Plain | 'to delete' | 'not started' | 'of unknown outcome'

/** How an item ended, as in "3 uploaded". */
export function outcomeOf(record: ItemRecord): OutcomeWord {
  if (isToDelete(record)) return 'to delete'
  if (record.status === 'not_started') return 'not started'
  return record.status === 'unknown' ? 'of unknown outcome' : record.status
}

/** Whether all further items would fail for the same reason, at the price of quota and time. */
export function stopsBatch({ error }: ItemRecord): boolean {
  return error?.stopsBatch === true
}

/** Whether the item needs no further run. */
export function isDone({ status, error }: ItemRecord): boolean {
  return error === null && (status === 'uploaded' || status === 'skipped')
}

/** The file or the slug of an item. */
export function subjectName(subject: Subject): string {
  return 'file' in subject ? shownFile(subject.file) : subject.slug
}
