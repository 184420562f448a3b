import type { Upload } from '../index.ts'
import { NoProofError } from '../internal.ts'
import { waitingForLock } from '../system/file-lock.ts'
import type { SharedContents } from './fleet/shared-contents.ts'
import { createHasher } from './hash-file.ts'
import { journalName } from './journal-items.ts'
import type { KnownFile, KnownUpload } from './known-uploads.ts'
import type { RunOfContents } from './run-of-contents.ts'
import { confirmPresent } from './service/presence.ts'

/** What an account has, as the service and this machine tell. */
export interface AccountTools extends RunOfContents {
  /** What other runners of the key have uploaded, whose files may look the same; undefined where there is no fleet. */
  readonly shared?: SharedContents | undefined
}

/** A file of a batch. */
interface BatchFile {
  readonly file: string
  readonly bytes?: number
  readonly problem?: unknown
}

/**
 * Compares the files of a batch with the record, and asks the service at once for all that it knows, so that pages of the
 * list can answer for many. What the service shows goes to the journal, where each item finds it.
 *
 * @throws FileHostError if the service does not answer
 */
export async function compareWithRecord(items: readonly BatchFile[], account: AccountTools) {
  const { journal, context, shared } = account
  const counts = new Map<number, number>()
  for (const { bytes } of items) if (bytes !== undefined) counts.set(bytes, (counts.get(bytes) ?? 0) + 1)
  journal.expect(new Set(counts.keys()))
  const mayHave = (bytes: number) => shared !== undefined || journal.mayHave(bytes)
  const needsHash = (bytes: number) => (counts.get(bytes) ?? 0) > 1 || mayHave(bytes)
  const hashers = new Map<number, ReturnType<typeof createHasher>>()
  const hashes = new Map<number, string>()
  const contents = new Map<string, KnownFile>()
  const signal = context.interruption.stopping
  for (const [index, { file, bytes, problem }] of items.entries()) {
    if (bytes === undefined || problem !== undefined || !mayHave(bytes)) continue
    // A file that cannot be read is reported when it is sent.
    const hasher = createHasher(file)
    const sha256 = await hasher(signal).catch(() => undefined)
    signal.throwIfAborted()
    if (sha256 === undefined) continue
    hashers.set(index, hasher)
    hashes.set(index, sha256)
    contents.set(sha256, { path: file, name: journalName(file, undefined), content: { size: bytes, sha256 } })
  }
  const known = [...contents.values()].map(({ content }) => content)
  await shared?.learn(known)
  // Where a cache answers, each file asks for itself when its turn comes: a cache may have kept the pages of the list alone.
  const { confirmed, gone } = await confirmAll([...contents.values()], account, signal).catch((error) => {
    if (error instanceof NoProofError) return { confirmed: new Map(), gone: 0 }
    throw error
  })
  if (confirmed.size === 0 && gone >= SUSPICIOUSLY_MANY) {
    context.note({ type: 'all-gone', count: gone })
  }
  shared?.confirmKnown(known)
  return {
    /** Whether a file of this size may be stored already, or another file of the batch has the same size. */
    needsHash,
    /** What has hashed an item's content already, if it was read. */
    hasherOf: (index: number) => hashers.get(index),
    /** Whether the account has an item's content, as it was then. */
    isPresent(index: number) {
      const [size, sha256] = [items[index]?.bytes, hashes.get(index)]
      return size !== undefined && sha256 !== undefined && journal.known({ size, sha256 }).some(isPresent)
    },
  }
}

/** The files of a batch whose content has to be compared before they are sent. */
export type Comparison = Awaited<ReturnType<typeof compareWithRecord>>

/** A stored upload of a content that the service still has. */
export type Present = KnownUpload & { readonly upload: Upload }

const isPresent = (known: KnownUpload): known is Present => known.upload !== undefined

/**
 * Asks for the newest upload of each content, and for the next one where the service no longer has it: that one is
 * forgotten.
 * @returns what the service has shown
 */
async function confirmAll(
  files: readonly KnownFile[],
  { journal, shared, client, context }: AccountTools,
  signal: AbortSignal,
) {
  const confirmed = new Map<KnownFile, Present>()
  let gone = 0
  for (let left = files; left.length > 0; gone += left.length) {
    const asked = left.flatMap((file) => {
      const [known] = journal.known(file.content)
      return known === undefined || isPresent(known) ? [] : [{ file, known }]
    })
    const wanted = asked.map(({ known }) => known)
    const answers = await confirmPresent(wanted, { client, context }, signal)
    left = asked.flatMap(({ file, known }) => {
      const upload = answers.get(known.slug)
      if (upload) {
        journal.found(file.name, file.content, upload)
        confirmed.set(file, { ...known, upload })
        return []
      }
      journal.forget([known.slug])
      shared?.fleet.forget([known.slug])
      context.note({ type: 'upload-gone', path: file.path, slug: known.slug })
      return [file]
    })
  }
  return { confirmed, gone }
}

/**
 * A regenerated key belongs to the same account: takes over the uploads of another key of the same address, if the newest
 * page of the list shows one of them. Costs a unit, and only where this key has no uploads yet.
 *
 * @returns false if another process does not stop rewriting the journal: without the uploads of the other key all would be
 * uploaded again
 * @throws FileHostError if the list cannot be read
 */
export async function adoptRecord({ journal, client, context }: AccountTools): Promise<boolean> {
  if (journal.otherKeys().length === 0) return true
  const { clock, interruption } = context
  const { data } = await client.list({ signal: interruption.stopping })
  const adopt = () => {
    // Another run may have taken them over meanwhile.
    const other = journal.otherKeys().find(({ slugs }) => data.some(({ slug }) => slugs.has(slug)))
    return other === undefined || journal.adopt(other)
  }
  return await waitingForLock(adopt, clock, interruption.stopping)
}

/** So many uploads are seldom deleted elsewhere while none is left. */
const SUSPICIOUSLY_MANY = 5

/**
 * Finds a stored upload of a content that the service still has.
 * @returns undefined if there is none; uploads that are gone are forgotten
 * @throws FileHostError if the service does not answer: it may have the content then
 */
export async function findPresent(
  file: KnownFile,
  account: AccountTools,
  signal: AbortSignal,
): Promise<Present | undefined> {
  const { content } = file
  const shown = (await confirmAll([file], account, signal)).confirmed.get(file)
  if (shown) account.shared?.confirm({ content, name: shown.name, upload: shown.upload })
  return shown ?? account.journal.known(content).find(isPresent)
}
