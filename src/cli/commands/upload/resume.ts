import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Client, type FileHostError, UnknownOutcomeError } from '../../../index.ts'
import type { Journal } from '../../journal/journal.ts'
import type { OpenEntry } from '../../journal/journal-items.ts'
import type { Context } from '../../run/context.ts'
import { hashFile } from './content-hash.ts'

/** A file's name in the journal: its absolute path, or `-` and the name for standard input. */
export function journalName(file: string, stdinName: string): string {
  return file === '-' ? `-${stdinName}` : resolve(file)
}

/** What is needed to reconcile uploads of other runs. */
export interface ReconcileTools {
  readonly journal: Journal
  readonly client: Pick<Client, 'reconcile'>
  readonly context: Pick<Context, 'reporter' | 'interruption'>
  /** Gets the ids of the uploads that the list was asked about. */
  readonly reconciled: Set<string>
}

/**
 * Finds out whether uploads that earlier runs left in flight were stored, reading the service's list once for all.
 * @throws FileHostError if the list cannot be read; then nothing may be sent
 */
export async function reconcileEarlier({ journal, client, context, reconciled }: ReconcileTools): Promise<void> {
  const entries = journal.unsettled()
  if (entries.length === 0) return
  const { reporter, interruption } = context
  for (const { intent } of entries) reconciled.add(intent.id)
  reporter.report({ type: 'note', note: { type: 'uploads-in-flight', count: entries.length } })
  const signal = interruption.stopping
  for (const entry of entries) await identify(entry, journal, signal)
  const reconciliations = await client.reconcile(entries.map(journal.intentOf), { signal })
  for (const [index, reconciliation] of reconciliations.entries()) {
    const entry = entries[index]
    if (entry) journal.settle(entry, reconciliation)
  }
}

/** A run that was killed before it had hashed a file: the file still has that content if it has not been changed since. */
async function identify(entry: OpenEntry, journal: Journal, signal: AbortSignal): Promise<void> {
  const { sha256, path, size, at } = entry.intent
  if (sha256 !== '' || path.startsWith('-')) return
  const stats = await stat(path).catch(() => undefined)
  if (stats?.size !== size || stats.mtimeMs >= at) return
  const hash = await hashFile(path, signal).catch(() => undefined)
  signal.throwIfAborted()
  if (hash !== undefined) journal.identify(entry, hash)
}

/** The list of uploads does not show whether an earlier run's upload was stored. */
export function stillUnknown(): UnknownOutcomeError {
  return new UnknownOutcomeError('An earlier run may have stored it: several uploads in the list look like it', {
    hint: 'Check fh list; --force uploads it again anyway',
  })
}

/** The account may have the content, and the service does not say whether it has. */
export function unconfirmed(cause: FileHostError): UnknownOutcomeError {
  return new UnknownOutcomeError(`The account may have it already, and the service cannot be asked: ${cause.message}`, {
    hint: 'Run the same command again later; --force uploads it anyway',
    cause,
  })
}
