import type { EmulatorClock } from '../clock.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { RecordStore, Thumbnail, UploadChanges, UploadRecord } from '../storage/record-store.ts'
import { createFileIntake, type FileIntake } from './file-intake.ts'
import { fileFaults, isOversized, type ReceivedFile, type SubmittedFile } from './file-rules.ts'
import { MissingRecordError, type Refusal } from './refusal.ts'
import { newSlug } from './slugs.ts'
import { addSyntheticUploads, type SyntheticUploads } from './synthetic-uploads.ts'
import type { Thumbnails } from './thumbnails.ts'
import { countSince, findInAnyCase, findTwin } from './upload-search.ts'

/** Part of an account's uploads, and how many there are in all. */
export interface UploadSlice {
  readonly uploads: readonly UploadRecord[]
  readonly total: number
}

/** An account's uploads; one account never sees another's (spec 4). */
export interface Uploads {
  /** Takes in the bytes of a file that may become an upload. */
  receive(name: string): FileIntake
  /** Forgets a received file that will not become an upload. */
  dismiss(file: SubmittedFile): Promise<void>
  create(accountId: number, file: SubmittedFile): Promise<UploadRecord | Refusal>
  /**
   * Adds an upload of bytes that are stored and known to be taken, at once; its thumbnail is taken up by
   * {@link Thumbnails.resume}.
   * @throws Error where another upload has the slug, or the file was not stored
   */
  addStored(accountId: number, file: ReceivedFile, details: UploadDetails): UploadRecord
  /**
   * Adds uploads that nobody sent, all at once.
   * @returns the first of their slugs, the oldest upload's first
   * @throws MissingRecordError where there is no such account
   */
  addSynthetic(accountId: number, batch: SyntheticUploads): readonly string[]
  /** @param page counts from 1; newest first, as many as the setting `page_size` says */
  page(accountId: number, page: number): UploadSlice
  find(accountId: number, slug: string): UploadRecord | Refusal
  remove(accountId: number, slug: string): Promise<UploadRecord | Refusal>
  /**
   * Changes what the service's users and visitors would change on its site, whoever owns the upload.
   * @throws MissingRecordError
   */
  update(slug: string, changes: UploadChanges): UploadRecord
}

/** What an upload may be given at its creation; the rest is as for one that arrives now. */
export type UploadDetails = Partial<Pick<UploadRecord, 'slug' | 'title' | 'views' | 'likes' | 'createdAt'>>

interface UploadsContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  readonly thumbnails: Thumbnails
}

export function createUploads({ records, blobs, settings, clock, thumbnails }: UploadsContext): Uploads {
  const { accounts, uploads } = records

  const dismiss = async (file: SubmittedFile) => {
    if (file.kind === 'file' && file.blobId !== undefined) await blobs.remove(file.blobId)
  }

  const freshSlug = () => newSlug(settings.current.slug_style)

  const insert = (
    accountId: number,
    file: StoredFile,
    thumbnail: Thumbnail,
    { slug, ...details }: UploadDetails = {},
  ): UploadRecord => {
    const { blobId, mimeType, storedBytes: sizeBytes, name } = file
    const fresh = {
      accountId,
      blobId,
      mimeType,
      sizeBytes,
      title: settings.current.title === 'filename' ? baseName(name) : null,
      views: 0,
      likes: 0,
      createdAt: clock.now(),
      thumbnail,
      ...details,
    }
    for (;;) {
      const record = uploads.insert({ ...fresh, slug: slug ?? freshSlug() })
      if (record !== undefined) return record
      if (slug !== undefined) throw new Error(`Another upload has the slug ${slug}`)
    }
  }

  const owned = (accountId: number, slug: string): UploadRecord | Refusal => {
    const upload = uploads.findBySlug(slug)
    if (upload?.accountId === accountId) return upload
    const similar = settings.current.case_insensitive_slugs ? findInAnyCase(uploads, accountId, slug) : undefined
    return similar ?? { kind: 'upload-not-found', slug }
  }

  /** From the record to the answer nothing is waited for, so that the record and the log's word of it become one. */
  const add = async (accountId: number, file: StoredFile): Promise<UploadRecord | Refusal> => {
    const { blobId, mimeType, storedBytes: sizeBytes } = file
    const thumbnail = await thumbnails.prepare({ blobId, mimeType, sizeBytes })
    const dismissAll = async () => {
      if (thumbnail.state === 'ready' && thumbnail.blobId !== blobId) await blobs.remove(thumbnail.blobId)
      await dismiss(file)
    }
    // Its account may have been deleted while the file arrived.
    if (accounts.get(accountId) === undefined) {
      await dismissAll()
      return { kind: 'invalid-key' }
    }
    try {
      const upload = insert(accountId, file, thumbnail)
      // Where the disk is full, bytes that no record has would keep it so. A record that was only not synced is still there.
      const undone = () => (uploads.findBySlug(upload.slug)?.id === upload.id ? undefined : dismissAll())
      void records.settled().catch(undone).catch(warn)
      return thumbnails.follow(upload)
    } catch (error) {
      await dismissAll()
      throw error
    }
  }

  const twinOf = (accountId: number, { blobId, mimeType, storedBytes: sizeBytes }: StoredFile) =>
    findTwin({ uploads, blobs }, accountId, { blobId, mimeType, sizeBytes })

  return {
    receive(name) {
      const { max_file_size, reencode } = settings.current
      return createFileIntake({ blobs, name, maxBytes: max_file_size, reencode })
    },
    dismiss,
    async create(accountId, file) {
      const { duplicate_content } = settings.current
      const messages = fileFaults(file, settings.current)
      if (messages.length === 0 && isStored(file)) {
        const twin = duplicate_content === 'same_slug' ? await twinOf(accountId, file) : undefined
        if (twin === undefined) return add(accountId, file)
        await dismiss(file)
        return twin
      }
      await dismiss(file)
      return { kind: 'invalid-file', messages, oversized: isOversized(file) }
    },
    addStored(accountId, file, details) {
      if (!isStored(file)) throw new Error(`The file ${file.name} was not stored`)
      return insert(accountId, file, thumbnails.plan(), details)
    },
    addSynthetic: (accountId, batch) => addSyntheticUploads({ records, newSlug: freshSlug }, accountId, batch),
    page(accountId, page) {
      const { visible_after_ms, page_size } = settings.current
      const hidden = visible_after_ms === 0 ? 0 : countSince(uploads, accountId, clock.now() - visible_after_ms)
      const offset = hidden + (page - 1) * page_size
      return {
        uploads: uploads.newest(accountId, { offset, limit: page_size }),
        total: uploads.totals(accountId).uploads - hidden,
      }
    },
    find(accountId, slug) {
      const upload = owned(accountId, slug)
      const { visible_after_ms } = settings.current
      if ('kind' in upload || visible_after_ms === 0) return upload
      return clock.now() - upload.createdAt >= visible_after_ms ? upload : { kind: 'upload-not-found', slug }
    },
    async remove(accountId, slug) {
      const upload = owned(accountId, slug)
      if ('kind' in upload) return upload
      // The record goes first: bytes without a record are litter, a record without bytes would be a lie.
      uploads.remove(slug)
      await thumbnails.forget(upload)
      if (upload.blobId !== null) await blobs.remove(upload.blobId)
      return upload
    },
    update(slug, changes) {
      const upload = uploads.update(slug, changes)
      if (upload === undefined) throw new MissingRecordError('upload', slug)
      return upload
    },
  }
}

type StoredFile = ReceivedFile & Readonly<Record<'mimeType' | 'blobId', string>> & { readonly storedBytes: number }

function isStored(file: SubmittedFile): file is StoredFile {
  return (
    file.kind === 'file' && file.blobId !== undefined && file.storedBytes !== undefined && file.mimeType !== undefined
  )
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}

/** Clients may send a path; the service keeps its last part. */
function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
