import type { EmulatorClock } from '../clock.ts'
import type { SettingsStore } from '../settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { RecordStore, UploadChanges, UploadRecord } from '../storage/record-store.ts'
import { createFileIntake, type FileIntake } from './file-intake.ts'
import { fileFaults, type ReceivedFile, type SubmittedFile } from './file-rules.ts'
import { randomText } from './random-text.ts'
import { MissingRecordError, type Refusal } from './refusal.ts'

/** How many uploads a page of the list has (spec 8.7). */
export const uploadsPerPage = 50

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
  /** @param page counts from 1; newest first, {@link uploadsPerPage} each */
  page(accountId: number, page: number): UploadSlice
  find(accountId: number, slug: string): UploadRecord | Refusal
  remove(accountId: number, slug: string): Promise<UploadRecord | Refusal>
  /**
   * Changes what the service's users and visitors would change on its site, whoever owns the upload.
   * @throws MissingRecordError
   */
  update(slug: string, changes: UploadChanges): UploadRecord
}

interface UploadsContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
}

const notFound: Refusal = { kind: 'upload-not-found' }

export function createUploads({ records: { uploads }, blobs, settings, clock }: UploadsContext): Uploads {
  const dismiss = async (file: SubmittedFile) => {
    if (file.kind === 'file' && file.blobId !== undefined) await blobs.remove(file.blobId)
  }

  const insert = (accountId: number, file: StoredFile): UploadRecord => {
    const { blobId, mimeType, sizeBytes } = file
    const fresh = { accountId, blobId, mimeType, sizeBytes, title: null, views: 0, likes: 0, createdAt: clock.now() }
    for (;;) {
      const record = uploads.insert({ ...fresh, slug: randomText(10) })
      if (record !== undefined) return record
    }
  }

  const owned = (accountId: number, slug: string): UploadRecord | Refusal => {
    const upload = uploads.findBySlug(slug)
    return upload?.accountId === accountId ? upload : notFound
  }

  return {
    receive: (name) => createFileIntake({ blobs, name, maxBytes: settings.current.max_file_size }),
    dismiss,
    async create(accountId, file) {
      const messages = fileFaults(file)
      if (isStored(file) && messages.length === 0) return insert(accountId, file)
      await dismiss(file)
      return { kind: 'invalid-file', messages }
    },
    page: (accountId, page) => ({
      uploads: uploads.newest(accountId, { offset: (page - 1) * uploadsPerPage, limit: uploadsPerPage }),
      total: uploads.totals(accountId).uploads,
    }),
    find: owned,
    async remove(accountId, slug) {
      const upload = owned(accountId, slug)
      if ('kind' in upload) return upload
      // The record goes first: bytes without a record are litter, a record without bytes would be a lie.
      uploads.remove(slug)
      await blobs.remove(upload.blobId)
      return upload
    },
    update(slug, changes) {
      const upload = uploads.update(slug, changes)
      if (upload === undefined) throw new MissingRecordError('upload', slug)
      return upload
    },
  }
}

type StoredFile = ReceivedFile & { readonly mimeType: string; readonly blobId: string }

function isStored(file: SubmittedFile): file is StoredFile {
  return file.kind === 'file' && file.blobId !== undefined && file.mimeType !== undefined
}
