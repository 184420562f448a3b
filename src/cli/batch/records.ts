import { basename } from 'node:path'
import { SourceError } from '../../index.ts'
import { CliError } from '../failures/cli-error.ts'
import { describeFailure } from '../failures/failure.ts'
import type { ItemRecord } from '../output/events.ts'

type Subject = ItemRecord['subject']

/**
 * What became of an item that failed. The name is taken out of the message, for it stands beside it already.
 * @param path where a file was read, if not where the subject says
 */
export function failedRecord(subject: Subject, error: unknown, path = subjectName(subject)): ItemRecord {
  const failure = describeFailure(error)
  const status = failure.code === 'outcome-unknown' ? 'unknown' : 'failed'
  const message = error instanceof SourceError ? withoutName(failure.message, path) : failure.message
  return { subject, status, upload: null, error: { ...failure, message } }
}

function withoutName(message: string, path: string): string {
  const name = [path, basename(path)].find((candidate) => message.startsWith(`${candidate} `))
  return name === undefined ? message : message.slice(name.length + 1)
}

/** An item whose turn never came. */
export function notStartedRecord(subject: Subject): ItemRecord {
  const error = new CliError('not-started', 'Not started, because the run was stopped before')
  return { subject, status: 'skipped', upload: null, error: describeFailure(error) }
}

/** Whether an item's turn never came. */
export function isNotStarted({ status, error }: ItemRecord): boolean {
  return status === 'skipped' && error !== null
}

export type Outcome = Exclude<ItemRecord['status'], 'unknown'> | 'not started' | 'of unknown outcome'

/** How an item ended, in words that a count stands before. */
export function outcomeOf(record: ItemRecord): Outcome {
  if (isNotStarted(record)) return 'not started'
  return record.status === 'unknown' ? 'of unknown outcome' : record.status
}

/** Whether every further item would meet the same; trying them all would only burn quota and patience. */
export function stopsBatch({ error }: ItemRecord): boolean {
  return error?.stopsBatch === true
}

/** Whether nothing is left to do for an item. */
export function isDone({ status, error }: ItemRecord): boolean {
  return error === null && (status === 'uploaded' || status === 'skipped')
}

/** As text: the file or the slug. */
export function subjectName(subject: Subject): string {
  return 'file' in subject ? subject.file : subject.slug
}
