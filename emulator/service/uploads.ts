import { tellError } from '../emulator-error.ts'
import { newDetails, type Thumbnail, type UploadChanges, type UploadRecord } from '../storage/record-types.ts'
import { blobIdsOf } from '../storage/uploads-table.ts'
import { orElse } from '../values/maybe-promise.ts'
import { createFileIntake, type FileIntake } from './file-intake.ts'
import { fileProblems, isOversized, type ReceivedFile, type SubmittedFile } from './file-rules.ts'
import { MissingRecordError, type Result, refused, succeeded } from './refusal.ts'
import type { ServiceParts } from './service-parts.ts'
import { addSyntheticUploads, type SyntheticUploads } from './synthetic-uploads.ts'
import type { Thumbnails } from './thumbnails.ts'

/** One page of an account's uploads, and their total number. */
export interface UploadSlice {
  readonly uploads: readonly UploadRecord[]
  readonly total: number
}

/** Details of a new upload; missing ones are those of an upload that arrives now. */
export type UploadDetails = Partial<Pick<UploadRecord, 'slug' | 'createdAt'>> & Omit<UploadChanges, 'thumbnail'>

export function createUploads({
  records,
  blobs,
  settings,
  clock,
  inventions,
  thumbnails,
}: Omit<ServiceParts, 'makeThumbnail'> & { readonly thumbnails: Thumbnails }) {
  const { accounts, uploads } = records

  const discard = async (file: SubmittedFile) => {
    if (file.kind === 'file' && file.blobId !== undefined) await blobs.discard(file.blobId)
  }

  const generateSlug = () => inventions.slug(settings.current.slug_style)

  const insert = (
    accountId: number,
    file: StoredSubmission,
    thumbnail: Thumbnail,
    { slug, ...details }: UploadDetails = {},
  ): UploadRecord => {
    const { blobId, mimeType, storedBytes: sizeBytes, sha256, name } = file
    const fresh = {
      accountId,
      blobId,
      mimeType,
      sizeBytes,
      sha256,
      ...newDetails,
      ...(settings.current.title === 'filename' && { title: baseName(name) }),
      createdAt: clock.now(),
      thumbnail,
      ...details,
    }
    for (;;) {
      const record = uploads.insert({ ...fresh, slug: slug ?? generateSlug() })
      if (record !== undefined) return record
      if (slug !== undefined) throw new Error(`Another upload has the slug ${slug}`)
    }
  }

  const findOwned = (accountId: number, slug: string): Result<UploadRecord> => {
    const upload = uploads.findBySlug(slug)
    if (upload?.accountId === accountId) return succeeded(upload)
    const similar = settings.current.case_insensitive_slugs ? uploads.findAlike(accountId, slug) : undefined
    return similar === undefined ? refused({ kind: 'upload-not-found', slug }) : succeeded(similar)
  }

  /**
   * Nothing is awaited between inserting the record and answering, so the record and its log entry are in one
   * transaction.
   */
  const add = async (accountId: number, file: StoredSubmission): Promise<Result<UploadRecord>> => {
    const { blobId, mimeType, storedBytes: sizeBytes } = file
    const thumbnail = await thumbnails.prepare({ blobId, mimeType, sizeBytes })
    const discardAll = async () => {
      for (const id of blobIdsOf({ blobId, thumbnail })) await blobs.discard(id)
    }
    // The account may have been deleted while the file arrived.
    if (accounts.get(accountId) === undefined) {
      await discardAll()
      return refused({ kind: 'invalid-key' })
    }
    let upload: UploadRecord
    try {
      upload = insert(accountId, file, thumbnail)
    } catch (error) {
      await discardAll()
      throw error
    }
    // On a full disk, bytes without a record must go to make room. A record that only could not be synced still exists.
    const undone = () => (uploads.findBySlug(upload.slug)?.id === upload.id ? undefined : discardAll())
    void orElse(() => orElse(() => records.flushed(), undone), tellError)
    return succeeded(await thumbnails.schedule(upload))
  }

  /** The account's upload with the same stored bytes: after re-encoding they have another size. */
  const duplicateOf = (accountId: number, { sha256, storedBytes }: StoredSubmission) =>
    uploads.findContent(accountId, sha256, storedBytes)

  return {
    /** Receives a file that may become an upload. */
    receive(name: string): FileIntake {
      const { max_file_size, reencode } = settings.current
      return createFileIntake({ blobs, name, maxBytes: max_file_size, reencode })
    },
    /** Discards a received file that will not become an upload. */
    discard,
    async create(accountId: number, file: SubmittedFile): Promise<Result<UploadRecord>> {
      const { duplicate_content, max_file_size } = settings.current
      const problems = fileProblems(file, max_file_size)
      if (problems.length === 0 && isStored(file)) {
        const duplicate = duplicate_content === 'same_slug' ? duplicateOf(accountId, file) : undefined
        if (duplicate === undefined) return add(accountId, file)
        await discard(file)
        return succeeded(duplicate)
      }
      await discard(file)
      return refused({ kind: 'invalid-file', problems, oversized: isOversized(file) })
    },
    /**
     * Adds an upload of stored bytes without waiting; {@link Thumbnails.resume} schedules its thumbnail.
     * @throws Error if the slug is taken or the file was not stored
     */
    addStored(accountId: number, file: ReceivedFile, details: UploadDetails): UploadRecord {
      if (!isStored(file)) throw new Error(`The file ${file.name} was not stored`)
      return insert(accountId, file, thumbnails.initial(), details)
    },
    /**
     * Adds uploads without stored bytes.
     * @returns the first of their slugs, oldest first
     * @throws MissingRecordError if the account does not exist
     */
    addSynthetic: (accountId: number, batch: SyntheticUploads): readonly string[] =>
      addSyntheticUploads({ records, newSlug: generateSlug }, accountId, batch),
    /**
     * @param page counts from 1; newest first
     * @param perPage default: the setting `page_size`
     */
    page(accountId: number, page: number, perPage: number = settings.current.page_size): UploadSlice {
      const { visible_after_ms } = settings.current
      const since = clock.now() - visible_after_ms
      const hidden = visible_after_ms === 0 ? 0 : uploads.countLater(accountId, since)
      const offset = hidden + (page - 1) * perPage
      return {
        uploads: uploads.newest(accountId, { offset, limit: perPage }),
        total: uploads.totals(accountId).uploads - hidden,
      }
    },
    find(accountId: number, slug: string): Result<UploadRecord> {
      const upload = findOwned(accountId, slug)
      const { visible_after_ms } = settings.current
      const isVisible = !upload.ok || visible_after_ms === 0 || clock.now() - upload.value.createdAt >= visible_after_ms
      return isVisible ? upload : refused({ kind: 'upload-not-found', slug })
    },
    async remove(accountId: number, slug: string): Promise<Result<UploadRecord>> {
      const found = findOwned(accountId, slug)
      if (!found.ok) return found
      const upload = found.value
      // The record goes first: bytes without a record are removed later, a record without bytes could not be served.
      uploads.remove(upload.slug)
      await thumbnails.forget(upload)
      if (upload.blobId !== null) blobs.remove(upload.blobId)
      return found
    },
    /**
     * Changes what users and visitors would change on the site, in any account.
     * @throws MissingRecordError
     */
    update(slug: string, changes: UploadChanges): UploadRecord {
      const upload = uploads.update(slug, changes)
      if (upload === undefined) throw new MissingRecordError('upload', slug)
      return upload
    },
  }
}

/** The uploads of all accounts; an account sees only its own (spec 4). */
export type Uploads = ReturnType<typeof createUploads>

type StoredSubmission = ReceivedFile &
  Readonly<Record<'mimeType' | 'blobId', string>> & { readonly storedBytes: number }

function isStored(file: SubmittedFile): file is StoredSubmission {
  return (
    file.kind === 'file' && file.blobId !== undefined && file.storedBytes !== undefined && file.mimeType !== undefined
  )
}

/** Clients may send a path; the service keeps its last part. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
