import { type FileHostError, type Reconciliation, UnknownOutcomeError, type Upload } from '../../index.ts'
import { candidatesOf, likelyUploads } from '../../internal.ts'
import { createQueue } from '../../system/queue.ts'
import { anySignal, orAborted } from '../../system/signals.ts'
import { nameOf, type OpenEntry } from '../journal-items.ts'
import type { AccountTools } from '../known-content.ts'
import { concluded, identify, type LeftFile, leftFile, ownPath, type PathOf } from './left-file.ts'
import type { RunLookalikes } from './run-lookalikes.ts'

interface ReconcileTools extends AccountTools {
  readonly lookalikes: Pick<RunLookalikes, 'tellApart'>
}

/** Settles what other runs left open. */
export function createReconciler({ journal, client, context, lookalikes, shared }: ReconcileTools) {
  const { note, interruption } = context
  /** What is known of each upload from the list and the bytes on the site, by its id. */
  const outcomeOf = new Map<string, Reconciliation>()
  const over = new AbortController()
  const signal = anySignal([interruption.stopping, over.signal])
  /** For what earlier runs left open. */
  let search: SizeSearch | undefined

  /** Two items may find the same upload open: the second is to see what the first has settled. */
  const inTurn = createQueue()

  /** @returns what is known of them now, from the list and from the bytes on the site */
  async function compareAll(
    entries: readonly OpenEntry[],
    listed: readonly Reconciliation[],
    pathOf: PathOf,
    isPatient = true,
  ): Promise<readonly Reconciliation[]> {
    const files: LeftFile[] = []
    for (const [index, entry] of entries.entries()) {
      files.push(await leftFile(entry, listed[index] ?? { type: 'ambiguous', candidates: [] }, pathOf, signal))
    }
    const compared = await lookalikes.tellApart(files, signal, isPatient)
    return files.map((file, index) => {
      const outcome = concluded(file, compared[index])
      if (file.isGuess && outcome.type === 'stored') journal.identify(file.entry, file.sha256)
      if (outcome.type === 'stored') tellOthers(file, outcome.upload)
      return outcome
    })
  }

  function settleAll(entries: readonly OpenEntry[], outcomes: readonly Reconciliation[]): void {
    for (const [index, entry] of entries.entries()) {
      const outcome = outcomes[index] ?? { type: 'ambiguous', candidates: [] }
      outcomeOf.set(entry.intent.id, outcome)
      journal.settle(entry, outcome)
    }
  }

  function tellOthers({ entry, sha256 }: LeftFile, upload: Upload): void {
    if (sha256 === '') return
    const { path, size, mime_type: mimeType } = entry.intent
    shared?.confirm({ content: { size, sha256 }, name: nameOf(path), mimeType, upload })
  }

  /** @param onWaiting for a search beside the uploads of this run, which waits for no other run */
  async function reconcileAll(pathOf: PathOf, onWaiting?: () => void): Promise<void> {
    const open = journal.unsettled()
    if (open.length === 0) return
    for (const entry of open) await identify(entry, journal, signal)
    // Their hashes may be known now.
    const entries = journal.unsettled()
    const intents = entries.map(journal.intentOf)
    const outcomes = await client.reconcile(intents, {
      signal,
      async tellApart(questions) {
        const asked = questions.flatMap(({ intent }) => entries[intents.indexOf(intent)] ?? [])
        const listed = questions.map(({ candidates }) => ({ type: 'ambiguous', candidates }) as const)
        return await compareAll(asked, listed, pathOf, onWaiting === undefined)
      },
      onWaiting(ms) {
        const files = entries.map(({ intent }) => nameOf(intent.path))
        note({ type: 'checks-earlier', files, ms })
        onWaiting?.()
      },
    })
    settleAll(entries, outcomes)
  }

  /** @returns resolves with the first reading of the list */
  function beginSearch(sizes: ReadonlySet<number>): Promise<void> {
    return new Promise((resolve, reject) => {
      const started: SizeSearch = { sizes, isOver: false, ended: inTurn(() => reconcileAll(ownPath, resolve)) }
      search = started
      const end = () => {
        started.isOver = true
      }
      started.ended.finally(end).then(resolve, reject)
    })
  }

  return {
    /**
     * Begins to look for uploads that earlier runs left in flight, if a file of the batch has the size of one. Resolves after
     * the first reading of the list. A second reading looks for those that the first did not show; the bytes on the site tell
     * those apart that look alike.
     * @param sizes of the batch's files, in bytes; undefined where one is not known yet
     * @returns the sizes of all uploads that were left in flight
     * @throws FileHostError if the list cannot be read; then nothing may be sent
     */
    async earlier(sizes: readonly (number | undefined)[]): Promise<ReadonlySet<number>> {
      const open = new Set(journal.unsettled().map(({ intent }) => intent.size))
      if (sizes.some((size) => size === undefined || open.has(size)) && open.size > 0) await beginSearch(open)
      return open
    },
    /** Whether uploads of this size are still looked for: a file of the size may be one of them, and looks like them. */
    isHeld: (size: number | undefined) => search?.isOver === false && size !== undefined && search.sizes.has(size),
    /** Resolves once they are found out. @throws FileHostError if they cannot be; then no file of the size may be sent */
    async released(size: number, waitSignal: AbortSignal) {
      if (search?.sizes.has(size)) await orAborted(search.ended, waitSignal)
    },
    /**
     * Finds out whether one of them was stored, and with it all that have become open since.
     * @param path a file of the same content: its own may be gone; undefined if there is none
     * @throws FileHostError if the list cannot be read; UnknownOutcomeError if nothing tells
     */
    settle: (entry: OpenEntry, path: string | undefined) =>
      inTurn(async () => {
        const { id } = entry.intent
        const known = outcomeOf.get(id)
        if (known === undefined) await reconcileAll((other) => (other.intent.id === id ? path : ownPath(other)))
        if (known?.type === 'ambiguous') settleAll([entry], await compareAll([entry], [known], () => path))
        // This run itself may have failed to find out; only the next one asks again. Another one may have found out meanwhile.
        if (journal.latest().outcomeOf(id) === undefined) throw stillUnknown(outcomeOf.get(id))
      }),
    /**
     * Settles uploads of runs that died since, before they had hashed a file of this size. It may be any file of the size, so
     * nothing is concluded where nothing tells.
     * @returns whether anything has been found out
     * @throws FileHostError if the list cannot be read
     */
    async settleUnread(size: number) {
      const isUnread = ({ intent }: OpenEntry) =>
        intent.sha256 === '' && intent.size === size && !outcomeOf.has(intent.id)
      if (!journal.unsettled().some(isUnread)) return false
      await inTurn(async () => {
        if (journal.unsettled().some(isUnread)) await reconcileAll(ownPath)
      })
      return true
    },
    /** Ends the search; what it has not found out stays open for the next run. */
    async close() {
      over.abort()
      await inTurn(() => {})
    },
  }
}

export type Reconciler = ReturnType<typeof createReconciler>

/** A search for uploads of these sizes. */
interface SizeSearch {
  readonly sizes: ReadonlySet<number>
  isOver: boolean
  readonly ended: Promise<void>
}

/** The list of uploads does not show whether an earlier run's upload was stored. @param outcome what it shows */
export function stillUnknown(outcome?: Reconciliation): UnknownOutcomeError {
  const candidates = outcome === undefined ? [] : candidatesOf(outcome)
  const which = candidates.length === 0 ? '' : `. ${likelyUploads(candidates)}`
  return new UnknownOutcomeError(`An earlier run may have stored it${which}`, { candidates })
}

/** The account may have the content, and the service does not say whether it has. */
export function unconfirmed(cause: FileHostError): UnknownOutcomeError {
  return new UnknownOutcomeError(`The account may have it already, and the service cannot be asked: ${cause.message}`, {
    hint: 'Run the same command again later; --force uploads it anyway',
    cause,
  })
}
