import { resolve } from 'node:path'
import { NoProofError, NotFoundError } from '../client/errors.ts'
import { creationSpan } from '../client/exactly-once/candidates.ts'
import type { Upload, UploadPage } from '../index.ts'
import type { KnownUpload } from '../store/upload-store.ts'
import { createHasher } from './hash-file.ts'
import type { KnownFile, UploadRun } from './upload-run.ts'

/** A file of a batch. */
interface BatchFile {
  readonly file: string
  readonly bytes?: number
  readonly problem?: unknown
}

/** A file's name in the store: its absolute path, or `-` and the name of what is not read from a path. */
export function storedPath(file: string, name: string | undefined): string {
  return name === undefined ? resolve(file) : `-${name}`
}

/**
 * Compares the files of a batch with the uploads that are known here, and asks the service at once for all of them, so that
 * pages of the list can answer for many. What the service shows goes to the store, where each item finds it.
 *
 * @throws FileHostError if the service does not answer
 */
export async function compareWithStore(items: readonly BatchFile[], account: UploadRun) {
  const { store, context } = account
  const counts = new Map<number, number>()
  for (const { bytes } of items) if (bytes !== undefined) counts.set(bytes, (counts.get(bytes) ?? 0) + 1)
  const hashers = new Map<number, ReturnType<typeof createHasher>>()
  const hashes = new Map<number, string>()
  const files = new Map<string, KnownFile>()
  const signal = context.interruption.stopping
  for (const [index, { file, bytes, problem }] of items.entries()) {
    if (bytes === undefined || problem !== undefined || !(await store.hasSize(bytes))) continue
    // A file that cannot be read is reported when it is sent.
    const hasher = createHasher(file)
    const sha256 = await hasher(signal).catch(() => undefined)
    signal.throwIfAborted()
    if (sha256 === undefined) continue
    hashers.set(index, hasher)
    hashes.set(index, sha256)
    files.set(sha256, { label: file, path: storedPath(file, undefined), content: { size: bytes, sha256 } })
  }
  const contents = [...files.values()].map(({ content }) => content)
  await store.expect(contents)
  // Where a cache answers, each file asks for itself when its turn comes: a cache may have kept the pages of the list alone.
  await confirmAll([...files.values()], account, signal).catch((error) => {
    if (!(error instanceof NoProofError)) throw error
  })
  const present = new Set<string>()
  for (const content of contents) if ((await store.known(content)).some(isPresent)) present.add(content.sha256)
  return {
    /** Whether a file of this size may be stored already, or another file of the batch has the same size. */
    needsHash: async (bytes: number) => (counts.get(bytes) ?? 0) > 1 || (await store.hasSize(bytes)),
    /** What has hashed an item's content already, if it was read. */
    hasherOf: (index: number) => hashers.get(index),
    /** Whether the account has an item's content, as it was then. */
    isPresent: (index: number) => present.has(hashes.get(index) ?? ''),
  }
}

/** The files of a batch whose content has to be compared before they are sent. */
export type Comparison = Awaited<ReturnType<typeof compareWithStore>>

/** A stored upload of a content that the service still has. */
export type Present = KnownUpload & { readonly upload: Upload }

const isPresent = (known: KnownUpload): known is Present => known.upload !== undefined

/**
 * Asks for the newest upload of each content, and for the next one where the service no longer has it: that one is
 * forgotten.
 * @returns what the service has shown
 */
async function confirmAll(files: readonly KnownFile[], { store, client, context }: UploadRun, signal: AbortSignal) {
  const confirmed = new Map<KnownFile, Present>()
  for (let left = files; left.length > 0; ) {
    const asked: { readonly file: KnownFile; readonly known: KnownUpload }[] = []
    for (const file of left) {
      const [known] = await store.known(file.content)
      if (known !== undefined && !isPresent(known)) asked.push({ file, known })
    }
    const wanted = asked.map(({ known }) => known)
    const answers = await confirmPresent(wanted, { client, context }, signal)
    const missing: KnownFile[] = []
    for (const { file, known } of asked) {
      const upload = answers.get(known.slug)
      if (upload) {
        await store.seen({ content: file.content, path: file.path, upload })
        confirmed.set(file, { ...known, upload })
        continue
      }
      await store.forget([known.slug])
      context.note({ type: 'upload-gone', path: file.label, slug: known.slug })
      missing.push(file)
    }
    left = missing
  }
  return confirmed
}

/**
 * A regenerated key belongs to the same account: takes over the uploads of another key of the same address, if the newest
 * page of the list shows one of them. Costs a unit, and only where this key has no uploads yet.
 *
 * @throws FileHostError if the list cannot be read
 */
export async function adoptUploads({ store, client, context }: UploadRun): Promise<void> {
  if (!(await store.mayAdopt())) return
  const { data } = await client.list({ signal: context.interruption.stopping })
  await store.adopt(data.map(({ slug }) => slug))
}

/**
 * Finds a stored upload of a content that the service still has.
 * @returns undefined if there is none; uploads that are gone are forgotten
 * @throws FileHostError if the service does not answer: it may have the content then
 */
export async function findPresent(
  file: KnownFile,
  account: UploadRun,
  signal: AbortSignal,
): Promise<Present | undefined> {
  const shown = (await confirmAll([file], account, signal)).get(file)
  return shown ?? (await account.store.known(file.content)).find(isPresent)
}

/** An upload that the record lists. */
export interface Wanted {
  readonly slug: string
  /** When it was uploaded, by this machine's clock in epoch milliseconds. */
  readonly at: number
  /** Whether the service may not show it yet. */
  readonly isUnlisted: boolean
}

/** What a service with a lag does not show at once it shows by then. */
const CATCH_UP_MS = 5_000

/**
 * Asks the service for uploads, by pages of the list where one page answers for several, and one by one elsewhere. A
 * recent upload that is missing is asked for once more, 5 s later.
 * @returns those that were found, by slug
 * @throws FileHostError if the service does not answer; NoProofError if a cache answers in its place
 */
export async function confirmPresent(
  wanted: readonly Wanted[],
  { client, context: { clock } }: Pick<UploadRun, 'client' | 'context'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Upload>> {
  const found = await search(wanted, client, signal)
  const missing = wanted.filter(({ slug, isUnlisted }) => isUnlisted && !found.has(slug))
  if (missing.length === 0) return found
  await clock.sleep(CATCH_UP_MS, signal)
  return new Map([...found, ...(await search(missing, client, signal))])
}

async function search(
  wanted: readonly Wanted[],
  client: UploadRun['client'],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Upload>> {
  const found = new Map<string, Upload>()
  const presence = createPresenceSearch(wanted)
  for (let question = presence.next(); question !== undefined; question = presence.next()) {
    if (question.type === 'page') {
      const page = await client.list({ page: question.page, signal })
      for (const upload of presence.tookPage(question.page, page)) found.set(upload.slug, upload)
      continue
    }
    // Only the service's own 404 says that an upload is gone; every other failure is thrown.
    const upload = await client.show(question.slug, { signal }).catch((error) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    })
    if (upload) found.set(question.slug, upload)
    presence.tookShow(question.slug)
  }
  return found
}

/** A page of the list, newest first. Times are epoch milliseconds by the service's clock. */
interface ReadPage {
  readonly number: number
  readonly newest: number
  readonly oldest: number
}

/** Decides what to ask next. Pure: knows no service. */
export function createPresenceSearch(wanted: readonly Wanted[]) {
  /** The newest first. */
  const left = new Map([...wanted].sort((a, b) => b.at - a.at).map(({ slug, at }) => [slug, at]))
  const pages: ReadPage[] = []
  let lastPage = Number.POSITIVE_INFINITY
  let found = 0
  let read = 0
  /** How far the service's clock is ahead of this machine's, by the uploads found. */
  let aheadMs = 0

  /** Reading pages may cost a few units more than it has saved, never more than asking for each. */
  function mayRead(): boolean {
    const venture = Math.min(left.size / 4, 1 + Math.log2(Math.min(lastPage, 1_024)))
    return left.size >= 2 && read < lastPage && read - found < Math.max(venture, 1)
  }

  /** The page that should have an upload of this time; undefined where that page was read already. */
  function pageOf(at: number): number | undefined {
    const time = at + aheadMs
    const before = pages.filter(({ oldest }) => oldest > time).at(-1)
    const after = pages.find(({ number, newest }) => number > 1 && newest < time)
    const [low, high] = [before?.number ?? 0, after?.number ?? lastPage + 1]
    if (high - low <= 1 || pages.some(({ number }) => number > low && number < high)) return undefined
    const [first] = pages
    if (before === undefined || first === undefined || !Number.isFinite(before.oldest)) return low + 1
    // As if all pages took as long as those read so far.
    const msPerPage = Math.max((first.newest - before.oldest) / (before.number - first.number + 1), 1)
    const guess = low + Math.max(Math.ceil((before.oldest - time) / msPerPage), 1)
    return guess < high ? guess : Math.floor((low + high) / 2)
  }

  return {
    /** The next thing to ask; each costs a unit. */
    next() {
      const [newest] = left
      if (newest === undefined) return undefined
      const [slug, at] = newest
      const page = mayRead() ? pageOf(at) : undefined
      return page === undefined ? ({ type: 'show', slug } as const) : ({ type: 'page', page } as const)
    },
    /** @returns the wanted uploads of the page */
    tookPage(number: number, { data, last_page }: UploadPage) {
      read += 1
      lastPage = last_page
      const wantedHere = data.filter(({ slug }) => left.has(slug))
      found += wantedHere.length
      const spans = data.flatMap((upload) => creationSpan(upload) ?? [])
      const [one] = wantedHere
      const span = one && creationSpan(one)
      if (one && span) aheadMs = span.from - (left.get(one.slug) ?? span.from)
      for (const { slug } of wantedHere) left.delete(slug)
      // Where times cannot be read, the next page is as likely as any other.
      const unread = Number.POSITIVE_INFINITY
      pages.push({
        number,
        newest: spans[0]?.to ?? unread,
        oldest: number >= last_page ? Number.NEGATIVE_INFINITY : (spans.at(-1)?.from ?? unread),
      })
      pages.sort((a, b) => a.number - b.number)
      return wantedHere
    },
    tookShow: (slug: string) => void left.delete(slug),
  }
}
