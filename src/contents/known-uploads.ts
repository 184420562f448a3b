import type { Clock, Upload } from '../index.ts'
import type { Account } from './journal-facts.ts'
import type { JournalFold } from './journal-fold.ts'
import { nameOf, type StoredEntry } from './journal-items.ts'
import type { RecordFile } from './record/record-file.ts'
import type { RecordEntry } from './record/record-lines.ts'

/** A file's content. */
export interface Content {
  /** In bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
}

/** A file whose content is known. */
export interface KnownFile {
  /** As the user gave it. */
  readonly path: string
  /** In the journal. */
  readonly name: string
  readonly content: Content
}

/** A stored upload of some content. */
export interface KnownUpload {
  readonly slug: string
  /** The base name of the file that was uploaded. */
  readonly name: string
  /** When it was uploaded, in epoch milliseconds. */
  readonly at: number
  /** Whether it is still in the journal, so that a service with a lag may not show it yet. Clocks may be set: no age tells. */
  readonly isRecent: boolean
  /** The upload, if it was stored or seen so recently that asking the service would tell nothing new. */
  readonly upload: Upload | undefined
}

/** What was stored or seen this recently is present without asking (docs/exactly-once.md). */
export const FRESH_MS = 10_000

interface KnownUploadsOptions {
  readonly account: Account
  /** Of the account, in the record. */
  readonly names: readonly string[]
  readonly record: RecordFile | undefined
  readonly clock: Clock
  /** This run: what it has stored itself is present without asking. */
  readonly run: string
  readonly fold: () => JournalFold
  /** Whether a run was deleting an upload, the outcome of which is not known. */
  readonly deleterOf: (slug: string) => unknown
}

/** The stored uploads of an account, by the journal and the record together. */
export function createKnownUploads({ account, names, record, clock, run, fold, deleterOf }: KnownUploadsOptions) {
  /** Entries of the record by size, of the sizes that were looked up. */
  const recorded = new Map<number, RecordEntry[]>()

  function expect(sizes: ReadonlySet<number>): void {
    const missing = new Set([...sizes].filter((size) => !recorded.has(size)))
    if (missing.size === 0) return
    for (const size of missing) recorded.set(size, [])
    const entries = names.flatMap((name) => record?.bySize(name, missing) ?? [])
    for (const entry of entries) recorded.get(entry.size)?.push(entry)
  }

  function entriesOf(size: number): readonly RecordEntry[] {
    expect(new Set([size]))
    return (recorded.get(size) ?? []).filter(({ slug }) => !fold().isForgotten(account, slug))
  }

  function isFresh({ item, at, slug }: StoredEntry): boolean {
    if (deleterOf(slug) !== undefined) return false
    const age = clock.now() - at
    return item.run === run || (age >= 0 && age <= FRESH_MS)
  }

  return {
    expect,
    /** The record may have changed: it is read again. */
    reset: () => recorded.clear(),
    mayHave: (size: number) => entriesOf(size).length > 0 || fold().stored(account, size).length > 0,
    known({ size, sha256 }: Content): readonly KnownUpload[] {
      const uploads = new Map<string, KnownUpload>()
      const older = entriesOf(size).filter((entry) => entry.sha256 === sha256)
      for (const { slug, name, at } of older) uploads.set(slug, { slug, name, at, isRecent: false, upload: undefined })
      for (const entry of fold().stored(account, size)) {
        if (entry.item.sha256 !== sha256) continue
        const { item, slug, at } = entry
        // Name and time are those of the upload, not those of a later look.
        const first = uploads.get(slug) ?? { slug, name: nameOf(item.path), at }
        const fresh = (isFresh(entry) ? entry.upload : undefined) ?? uploads.get(slug)?.upload
        uploads.set(slug, { ...first, isRecent: true, upload: fresh })
      }
      return [...uploads.values()].sort(
        (a, b) => Number(b.upload !== undefined) - Number(a.upload !== undefined) || b.at - a.at,
      )
    },
  }
}
