import type { Client, Upload } from '../../../../index.ts'
import type { Context } from '../../../context/context.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { Content, KnownUpload } from '../../../journal/known-uploads.ts'
import type { UploadItem } from '../inputs/upload-items.ts'
import { hashFile } from '../sources/content-hash.ts'
import { confirmPresent } from './presence.ts'
import { journalName } from './resume.ts'
import type { SharedContents } from './shared-contents.ts'

/** The files of a batch whose content has to be compared before they are sent. */
export interface Comparison {
  /** Whether a file of this size may be stored already, or another file of the batch has the same size. */
  needsHash(bytes: number): boolean
  /** The hash of an item's content, if it was read already. */
  hashOf(index: number): string | undefined
  /** Whether the account has an item's content. */
  isPresent(index: number): boolean
}

/** What an account has, as the service and this machine tell. */
export interface AccountTools {
  readonly journal: Journal
  readonly client: Pick<Client, 'list' | 'show'>
  readonly context: Pick<Context, 'reporter' | 'interruption' | 'clock'>
  /** Undefined where there is no fleet. */
  readonly shared?: SharedContents | undefined
}

/** A file whose content is known. */
export interface KnownFile {
  /** As the user gave it. */
  readonly path: string
  /** In the journal. */
  readonly name: string
  readonly content: Content
}

/**
 * Compares the files of a batch with the record, and asks the service at once for all that it knows, so that pages of the
 * list can answer for many. What the service shows goes to the journal, where each item finds it.
 *
 * @throws FileHostError if the service does not answer
 */
export async function compareWithRecord(items: readonly UploadItem[], account: AccountTools): Promise<Comparison> {
  const { journal, context, shared } = account
  const counts = new Map<number, number>()
  for (const { bytes } of items) if (bytes !== undefined) counts.set(bytes, (counts.get(bytes) ?? 0) + 1)
  journal.expect(new Set(counts.keys()))
  const mayHave = (bytes: number) => shared !== undefined || journal.mayHave(bytes)
  const needsHash = (bytes: number) => (counts.get(bytes) ?? 0) > 1 || mayHave(bytes)
  const hashes = new Map<number, string>()
  const contents = new Map<string, KnownFile>()
  const signal = context.interruption.stopping
  for (const [index, { file, bytes, problem }] of items.entries()) {
    if (bytes === undefined || problem !== undefined || !mayHave(bytes)) continue
    // A file that cannot be read is reported when it is sent.
    const sha256 = await hashFile(file, signal).catch(() => undefined)
    signal.throwIfAborted()
    if (sha256 === undefined) continue
    hashes.set(index, sha256)
    contents.set(sha256, { path: file, name: journalName(file, undefined), content: { size: bytes, sha256 } })
  }
  const known = [...contents.values()].map(({ content }) => content)
  await shared?.learn(known)
  await confirmAll([...contents.values()], account)
  shared?.confirmKnown(known)
  return {
    needsHash,
    hashOf: (index) => hashes.get(index),
    isPresent(index) {
      const [size, sha256] = [items[index]?.bytes, hashes.get(index)]
      return size !== undefined && sha256 !== undefined && journal.known({ size, sha256 })[0]?.upload !== undefined
    },
  }
}

/** Asks for the newest upload of each content, and for the next one where the service no longer has it. */
async function confirmAll(files: readonly KnownFile[], account: AccountTools): Promise<void> {
  const { journal, context } = account
  let present = 0
  let gone = 0
  for (let left = files; left.length > 0; ) {
    const asked = left.flatMap((file) => {
      const [known] = journal.known(file.content)
      return known === undefined || known.upload ? [] : [{ file, known }]
    })
    const wanted = asked.map(({ known }) => known)
    const answers = await confirmPresent(wanted, account, context.interruption.stopping)
    left = asked.flatMap(({ file, known: { slug } }) => {
      const upload = answers.get(slug)
      if (upload === undefined) return [forgetGone(file, slug, account)]
      journal.found(file.name, file.content, upload)
      return []
    })
    present += answers.size
    gone += left.length
  }
  if (present === 0 && gone >= SUSPICIOUSLY_MANY) {
    context.reporter.report({ type: 'note', note: { type: 'all-gone', count: gone } })
  }
}

/** So many uploads are seldom deleted elsewhere while none is left. */
const SUSPICIOUSLY_MANY = 5

function forgetGone<File extends { readonly path: string }>(file: File, slug: string, account: AccountTools): File {
  account.journal.forget([slug])
  account.shared?.fleet.forget([slug])
  account.context.reporter.report({ type: 'note', note: { type: 'upload-gone', path: file.path, slug } })
  return file
}

export interface Present {
  readonly known: KnownUpload
  readonly upload: Upload
}

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
  const { journal } = account
  for (const known of journal.known(file.content)) {
    if (known.upload) return { known, upload: known.upload }
    const upload = (await confirmPresent([known], account, signal)).get(known.slug)
    if (upload) {
      journal.found(file.name, file.content, upload)
      account.shared?.confirm({ content: file.content, name: known.name, upload })
      return { known, upload }
    }
    forgetGone(file, known.slug, account)
  }
  return undefined
}
