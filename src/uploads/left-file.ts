import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Reconciliation } from '../index.ts'
import { fingerprintOfFile } from '../internal.ts'
import type { OpenItem, UploadStore } from '../store/upload-store.ts'
import { hashFile } from './hash-file.ts'
import type { AskedFile } from './tell-apart.ts'

export type PathOf = (item: OpenItem) => string | undefined

/** What was not read from a path is no longer there. */
export function ownPath({ path }: OpenItem): string | undefined {
  return path.startsWith('-') ? undefined : path
}

/** A file of an upload that a run left open. */
export interface LeftFile extends AskedFile {
  readonly item: OpenItem
  /** What the list told. */
  readonly listed: Reconciliation
}

export async function leftFile(
  item: OpenItem,
  listed: Reconciliation,
  pathOf: PathOf,
  signal: AbortSignal,
): Promise<LeftFile> {
  const { id, size, attempt } = item
  const now = item.sha256 === '' && listed.type !== 'not-stored' ? await hashNow(item, signal) : undefined
  const sha256 = now ?? item.sha256
  const fingerprint = fingerprintOfFile(pathOf(item), sha256)
  const isGuess = now !== undefined
  return { id, item, listed, fingerprint, size, mimeType: attempt.mimeType, sha256, outcome: listed, isGuess }
}

/** Other bytes than those of a file that may have been changed conclude nothing. */
export function concluded({ isGuess, listed }: LeftFile, compared: Reconciliation = listed): Reconciliation {
  return isGuess && compared.type !== 'stored' ? listed : compared
}

/**
 * A run that was killed before it had hashed a file: the file still has that content if it has not been changed since.
 * @returns the item, with its hash where that is known now
 */
export async function identify(
  item: OpenItem,
  store: Pick<UploadStore, 'hashed'>,
  signal: AbortSignal,
): Promise<OpenItem> {
  if (item.sha256 !== '') return item
  const sha256 = await hashNow(item, signal, item.attempt.startedAt)
  if (sha256 === undefined) return item
  await store.hashed(item.id, sha256)
  return { ...item, sha256 }
}

/**
 * The hash of a file of the same size under the name of an upload.
 * @param unchangedSince the file must not have been changed after this time, as its own times tell
 */
async function hashNow(
  { path, size }: OpenItem,
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
