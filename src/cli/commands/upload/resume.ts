import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Client, UnknownOutcomeError } from '../../../index.ts'
import type { Journal } from '../../journal/journal.ts'
import type { DoneEntry, OpenEntry } from '../../journal/journal-fold.ts'
import type { Context } from '../../run/context.ts'
import { hashFile } from './content-hash.ts'
import type { UploadItem } from './upload-items.ts'

/** A file's name in the journal: its absolute path, or `-` and the name for standard input. */
export function journalName(file: string, stdinName: string): string {
  return file === '-' ? `-${stdinName}` : resolve(file)
}

/** Hashes a file on the first call; later calls share the result. */
export function createHasher(path: string, signal: AbortSignal): () => Promise<string> {
  let reading: Promise<string> | undefined
  return () => {
    reading ??= hashFile(path, signal)
    return reading
  }
}

/**
 * Finds out whether uploads that earlier runs left in flight were stored, reading the service's list once for all.
 * @throws FileHostError if the list cannot be read; then nothing may be sent
 */
export async function reconcileEarlier(journal: Journal, client: Client, context: Context): Promise<void> {
  const entries = journal.unsettled()
  if (entries.length === 0) return
  const { reporter, interruption } = context
  reporter.report({ type: 'note', note: { type: 'uploads-in-flight', count: entries.length } })
  const reconciliations = await client.reconcile(entries.map(journal.intentOf), { signal: interruption.stopping })
  for (const [index, reconciliation] of reconciliations.entries()) {
    const entry = entries[index]
    if (entry) journal.settle(entry, reconciliation)
  }
}

/**
 * The indexes of the items that will probably be sent: all but those refused locally and those that an earlier run has
 * stored under the same name. Content is not read.
 */
export function likelySent(
  items: readonly UploadItem[],
  journal: Journal,
  { force, name = '' }: { readonly force: boolean; readonly name?: string | undefined },
): Set<number> {
  const isStored = (file: string) => !force && journal.stored(journalName(file, name)).length > 0
  return new Set(items.flatMap(({ file, problem }, index) => (problem !== undefined || isStored(file) ? [] : [index])))
}

/** What earlier runs did with a file of this name and content. */
export type Earlier =
  | { readonly type: 'stored'; readonly entry: DoneEntry }
  | { readonly type: 'unknown'; readonly entry: OpenEntry }
  | { readonly type: 'none' }

/**
 * Looks a file up among the uploads of earlier runs, and takes a stored one over into this run. Reads the content only
 * if there is an entry to compare it with.
 *
 * @param name in the journal
 * @param path where the file is
 */
export async function findEarlier(
  journal: Journal,
  { name, path, hash }: { readonly name: string; readonly path: string; readonly hash: () => Promise<string> },
): Promise<Earlier> {
  const stored = journal.stored(name)
  const open = journal.unsettled().filter(({ intent }) => intent.path === name)
  if (stored.length + open.length === 0) return { type: 'none' }
  const stats = await stat(path).catch(() => undefined)
  if (stats === undefined) return { type: 'none' }
  const isSame = async ({ intent }: DoneEntry | OpenEntry): Promise<boolean> => {
    if (intent.size !== stats.size) return false
    // That run was killed before it had hashed the content: compare by the time of the last change instead.
    return intent.sha256 === '' ? stats.mtimeMs < intent.at : intent.sha256 === (await hash())
  }
  for (const entry of stored) if ((await isSame(entry)) && journal.take(entry)) return { type: 'stored', entry }
  for (const entry of open) if (await isSame(entry)) return { type: 'unknown', entry }
  return { type: 'none' }
}

/** The list of uploads does not show whether an earlier run's upload was stored. */
export function stillUnknown(): UnknownOutcomeError {
  return new UnknownOutcomeError('An earlier run may have stored it: several uploads in the list look like it', {
    hint: 'Check fh list; --force uploads it again anyway',
  })
}
