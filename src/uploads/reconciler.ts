import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { likelyUploads } from '../client/call-errors.ts'
import { UnknownOutcomeError } from '../client/errors.ts'
import { candidatesOf, fingerprintOfFile } from '../client/exactly-once/compare-bytes.ts'
import type { Client, FileHostError, Reconciliation, UploadIntent } from '../index.ts'
import { nameOf } from '../store/sqlite-uploads.ts'
import type { OpenItem, UploadStore } from '../store/upload-store.ts'
import { createQueue } from '../system/queue.ts'
import { anySignal, orAborted } from '../system/signals.ts'
import { createHasher } from './hash-file.ts'
import type { FileToMatch, MatchResolver } from './match-resolver.ts'
import type { UploadRun } from './upload-run.ts'

interface ReconcilerTools extends UploadRun {
  readonly matches: Pick<MatchResolver, 'resolve'>
}

/** A search for uploads of these sizes. */
interface SizeSearch {
  readonly sizes: ReadonlySet<number>
  isOver: boolean
  readonly ended: Promise<void>
}

const NOTHING_KNOWN: Reconciliation = { type: 'ambiguous', candidates: [] }

/** Settles what other runs left open: it becomes this run's, which looks at the list and at the bytes on the site. */
export class Reconciler {
  readonly #tools: ReconcilerTools
  /** What is known of each upload from the list and the bytes on the site, by its id. */
  readonly #outcomes = new Map<string, Reconciliation>()
  readonly #over = new AbortController()
  readonly #signal: AbortSignal
  /** Two items may find the same upload open: the second is to see what the first has settled. */
  readonly #inTurn = createQueue()
  /** For what earlier runs left open. */
  #search: SizeSearch | undefined

  constructor(tools: ReconcilerTools) {
    this.#tools = tools
    this.#signal = anySignal([tools.context.interruption.stopping, this.#over.signal])
  }

  /**
   * Begins to look for uploads that earlier runs left in flight, if a file of the batch has the size of one. Resolves after
   * the first reading of the list. A second reading looks for those that the first did not show; the bytes on the site tell
   * those apart that look alike.
   * @param sizes of the batch's files, in bytes; undefined where one is not known yet
   * @returns the sizes of all uploads that were left in flight
   * @throws FileHostError if the list cannot be read; then nothing may be sent
   */
  async earlier(sizes: readonly (number | undefined)[]): Promise<ReadonlySet<number>> {
    const open = new Set((await this.#tools.store.leftOpen()).map(({ size }) => size))
    if (open.size > 0 && sizes.some((size) => size === undefined || open.has(size))) await this.#beginSearch(open)
    return open
  }

  /** Whether uploads of this size are still looked for: a file of the size may be one of them, and looks like them. */
  isHeld(size: number | undefined): boolean {
    return this.#search?.isOver === false && size !== undefined && this.#search.sizes.has(size)
  }

  /** Resolves once they are found out. @throws FileHostError if they cannot be; then no file of the size may be sent */
  async released(size: number, signal: AbortSignal): Promise<void> {
    if (this.#search?.sizes.has(size)) await orAborted(this.#search.ended, signal)
  }

  /**
   * Finds out whether an upload that this run has taken over was stored, and with it all that have become open since.
   * @param path a file of the same content: its own may be gone; undefined if there is none
   * @throws FileHostError if the list cannot be read; UnknownOutcomeError if nothing tells: it is the next run's to find out
   */
  async settle(item: OpenItem, path: string | undefined): Promise<Reconciliation> {
    return await this.#inTurn(async () => {
      const pathOf: PathOf = (other) => (other.id === item.id ? path : ownPath(other))
      const known = this.#outcomes.get(item.id)
      if (known === undefined) await this.#reconcileAll(pathOf, [item])
      else await this.#settleAll([item], await this.#compareAll([item], [known], pathOf))
      const outcome = this.#outcomes.get(item.id) ?? NOTHING_KNOWN
      // A file of the same size may be any other one: nothing is concluded where nothing tells.
      if (outcome.type === 'ambiguous' && item.sha256 !== '') throw stillUnknown(outcome)
      return outcome
    })
  }

  /** Ends the search; what it has not found out stays open for the next run. */
  async close(): Promise<void> {
    this.#over.abort()
    await this.#inTurn(() => {})
  }

  /** @returns resolves with the first reading of the list */
  #beginSearch(sizes: ReadonlySet<number>): Promise<void> {
    return new Promise((resolve, reject) => {
      const ended = this.#inTurn(() => this.#reconcileAll(ownPath, [], resolve))
      const search: SizeSearch = { sizes, isOver: false, ended }
      this.#search = search
      const end = () => {
        search.isOver = true
      }
      ended.finally(end).then(resolve, reject)
    })
  }

  /** What runs that are over have left open becomes this run's. */
  async #takeOver(): Promise<readonly OpenItem[]> {
    const { store } = this.#tools
    const items: OpenItem[] = []
    for (const item of await store.leftOpen())
      if (!this.#outcomes.has(item.id) && (await store.takeOver(item.id))) items.push(item)
    return items
  }

  /**
   * @param taken items that are this run's already
   * @param onWaiting for a search beside the uploads of this run, which waits for no other run
   */
  async #reconcileAll(pathOf: PathOf, taken: readonly OpenItem[], onWaiting?: () => void): Promise<void> {
    const { store, client, context } = this.#tools
    const open = [...taken, ...(await this.#takeOver())]
    if (open.length === 0) return
    try {
      const items: OpenItem[] = []
      for (const item of open) items.push(await identify(item, store, this.#signal))
      const knownSlugs = await store.latestSlugs()
      const intents = items.map((item) => uploadIntent(item, knownSlugs))
      const outcomes = await client.reconcile(intents, {
        signal: this.#signal,
        tellApart: async (questions) => {
          const asked = questions.flatMap(({ intent }) => items[intents.indexOf(intent)] ?? [])
          const listed = questions.map(({ candidates }) => ({ type: 'ambiguous', candidates }) as const)
          return await this.#compareAll(asked, listed, pathOf, onWaiting === undefined)
        },
        onWaiting(ms) {
          context.note({ type: 'checks-earlier', files: items.map(({ path }) => nameOf(path)), ms })
          onWaiting?.()
        },
      })
      await this.#settleAll(items, outcomes)
    } catch (error) {
      // The next run finds out.
      for (const { id } of open) if (!this.#outcomes.has(id)) await store.unknown(id)
      throw error
    }
  }

  /** @returns what is known of them now, from the list and from the bytes on the site */
  async #compareAll(
    items: readonly OpenItem[],
    listed: readonly Reconciliation[],
    pathOf: PathOf,
    isPatient = true,
  ): ReturnType<NonNullable<ResolveMatches>> {
    const files: InterruptedFile[] = []
    for (const [index, item] of items.entries())
      files.push(await interruptedFile(item, listed[index] ?? NOTHING_KNOWN, pathOf, this.#signal))
    const compared = await this.#tools.matches.resolve(files, this.#signal, isPatient)
    return files.map((file, index) => concluded(file, compared[index]))
  }

  async #settleAll(items: readonly OpenItem[], outcomes: readonly (Reconciliation | undefined)[]): Promise<void> {
    const { store } = this.#tools
    for (const [index, { id }] of items.entries()) {
      const outcome = outcomes[index] ?? NOTHING_KNOWN
      this.#outcomes.set(id, outcome)
      // What was found in the list was taken there.
      if (outcome.type === 'not-stored') await store.notStored(id)
      if (outcome.type === 'ambiguous') await store.unknown(id)
    }
  }
}

type ResolveMatches = NonNullable<Parameters<Client['reconcile']>[1]>['tellApart']

/** What `client.reconcile` takes. @param knownSlugs of other files */
function uploadIntent({ size, attempt, endedAt }: OpenItem, knownSlugs: readonly string[]): UploadIntent {
  return { ...attempt, size, endedAt, knownSlugs }
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

type PathOf = (item: OpenItem) => string | undefined

/** What was not read from a path is no longer there. */
export function ownPath({ path }: OpenItem): string | undefined {
  return path.startsWith('-') ? undefined : path
}

/** A file of an upload that a run left open. */
export interface InterruptedFile extends FileToMatch {
  readonly item: OpenItem
  /** What the list told. */
  readonly listed: Reconciliation
}

async function interruptedFile(
  item: OpenItem,
  listed: Reconciliation,
  pathOf: PathOf,
  signal: AbortSignal,
): Promise<InterruptedFile> {
  const { id, size, attempt } = item
  const now = item.sha256 === '' && listed.type !== 'not-stored' ? await hashNow(item, signal) : undefined
  const sha256 = now ?? item.sha256
  const fingerprint = fingerprintOfFile(pathOf(item), sha256)
  const isGuess = now !== undefined
  return { id, item, listed, fingerprint, size, mimeType: attempt.mimeType, sha256, outcome: listed, isGuess }
}

/** Other bytes than those of a file that may have been changed conclude nothing. */
export function concluded({ isGuess, listed }: InterruptedFile, compared: Reconciliation = listed): Reconciliation {
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
  const hash = await createHasher(path)(signal).catch(() => undefined)
  signal.throwIfAborted()
  const after = await stat(path).catch(() => undefined)
  return after?.size === size && changedAt(after) === changedAt(before) ? hash : undefined
}

/** Copying a file may set back the time of its content, but not that of its inode. In epoch milliseconds. */
function changedAt({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs)
}
