import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Client, type FileHostError, type Reconciliation, UnknownOutcomeError } from '../../../index.ts'
import type { Lookalikes } from '../../../internal.ts'
import type { Journal } from '../../journal/journal.ts'
import type { OpenEntry } from '../../journal/journal-items.ts'
import type { Context } from '../../run/context.ts'
import { hashFile } from './content-hash.ts'

/** A file's name in the journal: its absolute path, or `-` and the name for standard input. */
export function journalName(file: string, stdinName: string): string {
  return file === '-' ? `-${stdinName}` : resolve(file)
}

interface ReconcileTools {
  readonly journal: Journal
  readonly client: Pick<Client, 'reconcile'>
  readonly context: Pick<Context, 'reporter' | 'interruption'>
  readonly lookalikes: Lookalikes
}

/** Settles what other runs left open. */
export interface Reconciler {
  /**
   * Finds out whether uploads that earlier runs left in flight were stored, reading the service's list once for all.
   * Those that it cannot tell apart are told apart by content.
   * @throws FileHostError if the list cannot be read; then nothing may be sent
   */
  earlier(): Promise<void>
  /**
   * Finds out whether one of them was stored, and with it all that have become open since.
   * @param path a file of the same content: its own may be gone
   * @throws FileHostError if the list cannot be read; UnknownOutcomeError if nothing tells
   */
  settle(entry: OpenEntry, path: string): Promise<void>
}

export function createReconciler({ journal, client, context, lookalikes }: ReconcileTools): Reconciler {
  const { reporter, interruption } = context
  /** What the list and the bytes on the site told of each upload, by its id. */
  const told = new Map<string, Reconciliation>()
  let last: Promise<unknown> = Promise.resolve()

  /** Two items may find the same upload open: the second is to see what the first has settled. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }

  async function settleAll(entries: readonly OpenEntry[], outcomes: readonly Reconciliation[], pathOf: PathOf) {
    const files = entries.flatMap((entry, index) => {
      const { sha256, mime_type: mimeType } = entry.intent
      const outcome = outcomes[index]
      return outcome ? [{ path: pathOf(entry), sha256, mimeType, outcome }] : []
    })
    const compared = await lookalikes.tellApart(files, interruption.stopping)
    for (const [index, outcome] of compared.entries()) {
      const entry = entries[index]
      if (entry === undefined) continue
      told.set(entry.intent.id, outcome)
      journal.settle(entry, outcome)
    }
  }

  async function reconcileAll(): Promise<void> {
    const open = journal.unsettled()
    if (open.length === 0) return
    reporter.report({ type: 'note', note: { type: 'uploads-in-flight', count: open.length } })
    const signal = interruption.stopping
    for (const entry of open) await identify(entry, journal, signal)
    // Their hashes may be known now.
    const entries = journal.unsettled()
    await settleAll(entries, await client.reconcile(entries.map(journal.intentOf), { signal }), ownPath)
  }

  return {
    earlier: () => inTurn(reconcileAll),
    settle: (entry, path) =>
      inTurn(async () => {
        const known = told.get(entry.intent.id)
        if (known === undefined) await reconcileAll()
        if (known?.type === 'ambiguous') await settleAll([entry], [known], () => path)
        // This run itself may have failed to find out; only the next one asks again.
        if ((told.get(entry.intent.id)?.type ?? 'ambiguous') === 'ambiguous') throw stillUnknown()
      }),
  }
}

type PathOf = (entry: OpenEntry) => string | undefined

/** What came from standard input is no longer there. */
function ownPath({ intent: { path } }: OpenEntry): string | undefined {
  return path.startsWith('-') ? undefined : path
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
