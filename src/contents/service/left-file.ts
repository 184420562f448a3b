import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Reconciliation } from '../../index.ts'
import { printOfFile } from '../../internal.ts'
import { hashFile } from '../hash-file.ts'
import type { Journal } from '../journal.ts'
import type { OpenEntry } from '../journal-items.ts'
import type { AskedFile } from './run-lookalikes.ts'

export type PathOf = (entry: OpenEntry) => string | undefined

/** What was not read from a path is no longer there. */
export function ownPath({ intent: { path } }: OpenEntry): string | undefined {
  return path.startsWith('-') ? undefined : path
}

/** A file of an upload that a run left open. */
export interface LeftFile extends AskedFile {
  readonly entry: OpenEntry
  /** What the list told. */
  readonly listed: Reconciliation
  /** Whether the file may be another one by now, because its hash was not written. */
  readonly isGuess: boolean
}

export async function leftFile(
  entry: OpenEntry,
  listed: Reconciliation,
  pathOf: PathOf,
  signal: AbortSignal,
): Promise<LeftFile> {
  const { id, size, mime_type: mimeType } = entry.intent
  const now = entry.intent.sha256 === '' && listed.type !== 'not-stored' ? await hashNow(entry, signal) : undefined
  const sha256 = now ?? entry.intent.sha256
  const print = printOfFile(pathOf(entry), sha256)
  return { id, entry, listed, print, size, mimeType, sha256, outcome: listed, isGuess: now !== undefined, isLeft: true }
}

/** Other bytes than those of a file that may have been changed conclude nothing. */
export function concluded({ isGuess, listed }: LeftFile, compared: Reconciliation = listed): Reconciliation {
  return isGuess && compared.type !== 'stored' ? listed : compared
}

/** A run that was killed before it had hashed a file: the file still has that content if it has not been changed since. */
export async function identify(entry: OpenEntry, journal: Journal, signal: AbortSignal): Promise<void> {
  if (entry.intent.sha256 !== '') return
  const hash = await hashNow(entry, signal, entry.intent.at)
  if (hash !== undefined) journal.identify(entry, hash)
}

/**
 * The hash of a file of the same size under the name of an upload.
 * @param unchangedSince the file must not have been changed after this time, as its own times tell
 */
async function hashNow(
  { intent: { path, size } }: OpenEntry,
  signal: AbortSignal,
  unchangedSince = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  if (path.startsWith('-')) return undefined
  const before = await stat(path).catch(() => undefined)
  if (before?.size !== size || changedAt(before) >= unchangedSince) return undefined
  const hash = await hashFile(path, signal).catch(() => undefined)
  signal.throwIfAborted()
  const after = await stat(path).catch(() => undefined)
  return after?.size === size && changedAt(after) === changedAt(before) ? hash : undefined
}

/** Copying a file may set back the time of its content, but not that of its inode. In epoch milliseconds. */
function changedAt({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs)
}
