import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Client, UnknownOutcomeError } from '../../../index.ts'
import type { Journal } from '../../journal/journal.ts'
import type { DoneEntry, OpenEntry } from '../../journal/journal-fold.ts'
import { counted } from '../../output/format/format.ts'
import type { Context } from '../../run/context.ts'
import { hashFile } from './content-hash.ts'
import type { UploadItem } from './upload-items.ts'

/** How a file is called in the journal: by its absolute path, standard input by its name. */
export function journalName(file: string, stdinName: string): string {
  return file === '-' ? `-${stdinName}` : resolve(file)
}

/** Reads a file once for all who ask for its hash. */
export function createHasher(path: string, signal: AbortSignal): () => Promise<string> {
  let reading: Promise<string> | undefined
  return () => {
    reading ??= hashFile(path, signal)
    return reading
  }
}

/**
 * Finds out what became of uploads that were in flight when earlier runs ended; all with one look at the list.
 * @throws FileHostError where the list cannot be read: then nothing may be sent either
 */
export async function settleEarlier(journal: Journal, client: Client, context: Context): Promise<void> {
  const entries = journal.unsettled()
  if (entries.length === 0) return
  const { reporter, interruption } = context
  const what = counted(entries.length, 'upload')
  reporter.report({ type: 'note', text: `An earlier run left ${what} in flight: looking at the list` })
  const settlements = await client.reconcile(entries.map(journal.intentOf), { signal: interruption.stopping })
  for (const [index, settlement] of settlements.entries()) {
    const entry = entries[index]
    if (entry) journal.settle(entry, settlement)
  }
}

/**
 * Which items are likely to be sent, by their place among all, before any has been read: neither what is refused here nor
 * what an earlier run has stored under that name.
 */
export function likelySent(
  items: readonly UploadItem[],
  journal: Journal,
  { force, name = '' }: { readonly force: boolean; readonly name?: string | undefined },
): Set<number> {
  const isStored = (file: string) => !force && journal.stored(journalName(file, name)).length > 0
  return new Set(items.flatMap(({ file, problem }, index) => (problem !== undefined || isStored(file) ? [] : [index])))
}

/** What earlier runs know of a file with the content it has now. */
export type Earlier =
  | { readonly type: 'stored'; readonly entry: DoneEntry }
  | { readonly type: 'unknown'; readonly entry: OpenEntry }
  | { readonly type: 'none' }

/**
 * Looks for a file in what earlier runs left, and takes what it finds stored over into this run. Content is compared
 * only where there is something to compare it with.
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
    // Killed before the content was read: it is the same unless the file was written since.
    return intent.sha256 === '' ? stats.mtimeMs < intent.at : intent.sha256 === (await hash())
  }
  for (const entry of stored) if ((await isSame(entry)) && journal.take(entry)) return { type: 'stored', entry }
  for (const entry of open) if (await isSame(entry)) return { type: 'unknown', entry }
  return { type: 'none' }
}

/** An earlier run's upload of which not even the list tells whether it is there. */
export function stillUnknown(): UnknownOutcomeError {
  return new UnknownOutcomeError(
    'An earlier run may have stored it, and the list cannot tell: several uploads look like it',
    { hint: 'Look at fh list; --force uploads it again all the same' },
  )
}
