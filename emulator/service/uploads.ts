import { createHash } from 'node:crypto'
import { acceptedMediaType, executableName, sniffLengthBytes, sniffMimeType } from '../../src/protocol/media-types.ts'
import type { BlobStore, BlobWriter } from '../storage/blobs.ts'
import { newDetails, type Thumbnail, type UploadChanges, type UploadRecord } from '../storage/record-types.ts'
import { blobIdsOf } from '../storage/records.ts'
import { type FileProblem, MissingRecordError, type Refusal } from './refusal.ts'
import type { ServiceParts } from './service-parts.ts'
import { type SyntheticUploads, synthesize } from './synthetic-uploads.ts'
import type { Thumbnails } from './thumbnails.ts'

/** One page of an account's uploads, and their total number. */
export interface UploadSlice {
  readonly uploads: readonly UploadRecord[]
  readonly total: number
}

/** Details of a new upload; missing ones are those of an upload that arrives now. */
export type UploadDetails = Partial<Pick<UploadRecord, 'slug' | 'createdAt'>> & Omit<UploadChanges, 'thumbnail'>

type NotFound = { readonly kind: 'upload-not-found'; readonly slug: string }
type TitleRefusal = NotFound | { readonly kind: 'too-long' | 'control-character' }

/** The most characters of a title. */
export const maxTitle = 255
/** Line breaks and what moves a terminal's cursor; a title has one line. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u
/** A text with nothing but these shows nothing. */
const invisible = /^[\p{Cf}\p{Z}]*$/u

type Parts = Omit<ServiceParts, 'makeThumbnail' | 'isDurable'> & { readonly thumbnails: Thumbnails }

/** The uploads of all accounts; an account sees only its own (spec 4). */
export class Uploads {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get #table() {
    return this.#parts.records.uploads
  }

  /** Receives a file that may become an upload. */
  receive(name: string): FileIntake {
    const { max_file_size, reencode } = this.#parts.settings.current
    return createFileIntake({ blobs: this.#parts.blobs, name, maxBytes: max_file_size, reencode })
  }

  /** Discards a received file that will not become an upload. */
  async discard(file: SubmittedFile): Promise<void> {
    if (file.kind === 'file' && file.blobId !== undefined) await this.#parts.blobs.discard(file.blobId)
  }

  async create(accountId: number, file: SubmittedFile): Promise<UploadRecord | Refusal> {
    const { duplicate_content, max_file_size } = this.#parts.settings.current
    const problems = fileProblems(file, max_file_size)
    if (problems.length === 0 && isStored(file)) {
      // Of the stored bytes: after re-encoding they have another size.
      const duplicate =
        duplicate_content === 'same_slug'
          ? this.#table.findContent(accountId, file.sha256, file.storedBytes)
          : undefined
      if (duplicate === undefined) return this.#add(accountId, file)
      await this.discard(file)
      return duplicate
    }
    await this.discard(file)
    return { kind: 'invalid-file', problems, oversized: isOversized(file) }
  }

  /**
   * Nothing is awaited between inserting the record and answering, so the record and its log entry are in one
   * transaction.
   */
  async #add(accountId: number, file: StoredSubmission): Promise<UploadRecord | Refusal> {
    const { records, thumbnails } = this.#parts
    const { blobId, mimeType, storedBytes: sizeBytes } = file
    const thumbnail = await thumbnails.prepare({ blobId, mimeType, sizeBytes }).catch((error: unknown) => {
      this.#parts.blobs.discard(blobId)
      throw error
    })
    const bytes = blobIdsOf({ blobId, thumbnail })
    // The account may have been deleted while the file arrived.
    if (records.accounts.get(accountId) === undefined) {
      this.#discardAll(bytes)
      return { kind: 'invalid-key' }
    }
    let upload: UploadRecord
    try {
      upload = this.#insert(accountId, file, thumbnail)
    } finally {
      // On a full disk, bytes without a record must go to make room.
      records.turns.flushed().catch(() => this.#discardAll(bytes))
    }
    return thumbnails.schedule(upload)
  }

  #discardAll(blobIds: readonly string[]): void {
    for (const id of blobIds) this.#parts.blobs.discard(id)
  }

  #newSlug(): string {
    return this.#parts.inventions.slug(this.#parts.settings.current.slug_style)
  }

  #insert(
    accountId: number,
    { blobId, mimeType, storedBytes: sizeBytes, sha256, name: sentName }: StoredSubmission,
    thumbnail: Thumbnail,
    { slug, ...details }: UploadDetails = {},
  ): UploadRecord {
    const { settings, clock } = this.#parts
    const name = baseName(sentName)
    const file = { accountId, blobId, mimeType, sizeBytes, sha256, name, thumbnail, createdAt: clock.now() }
    const title = settings.current.title === 'filename' ? { title: name } : {}
    return this.#insertAs(slug, { ...file, ...newDetails, ...title, ...details })
  }

  /** @param slug default: a new one */
  #insertAs(slug: string | undefined, upload: Omit<UploadRecord, 'id' | 'slug'>): UploadRecord {
    for (;;) {
      const record = this.#table.insert({ ...upload, slug: slug ?? this.#newSlug() })
      if (record !== undefined) return record
      if (slug !== undefined) throw new Error(`Another upload has the slug ${slug}`)
    }
  }

  /**
   * Adds an upload of stored bytes without waiting; {@link Thumbnails.resume} schedules its thumbnail.
   * @throws Error if the slug is taken or the file was not stored
   */
  addStored(accountId: number, file: ReceivedFile, details: UploadDetails): UploadRecord {
    if (!isStored(file)) throw new Error(`The file ${file.name} was not stored`)
    return this.#insert(accountId, file, this.#parts.thumbnails.initial(), details)
  }

  /**
   * Adds uploads without stored bytes.
   * @returns the first `maxSlugs` of their slugs, oldest first
   * @throws MissingRecordError if the account does not exist
   */
  addSynthetic(accountId: number, batch: SyntheticUploads): readonly string[] {
    if (this.#parts.records.accounts.get(accountId) === undefined) throw new MissingRecordError('account', accountId)
    const slugs: string[] = []
    for (const upload of synthesize(batch)) {
      const { slug } = this.#insertAs(undefined, { ...upload, accountId })
      if (slugs.length < batch.maxSlugs) slugs.push(slug)
    }
    return slugs
  }

  /**
   * @param page counts from 1; newest first
   * @param perPage default: the setting `page_size`
   */
  page(accountId: number, page: number, perPage: number = this.#parts.settings.current.page_size): UploadSlice {
    const { visible_after_ms } = this.#parts.settings.current
    const since = this.#parts.clock.now() - visible_after_ms
    const hidden = visible_after_ms === 0 ? 0 : this.#table.countLater(accountId, since)
    const offset = hidden + (page - 1) * perPage
    return {
      uploads: this.#table.newest(accountId, { offset, limit: perPage }),
      total: this.#table.totals(accountId).uploads - hidden,
    }
  }

  find(accountId: number, slug: string): UploadRecord | Refusal {
    const upload = this.#findOwned(accountId, slug)
    const { visible_after_ms } = this.#parts.settings.current
    const isVisible =
      'kind' in upload || visible_after_ms === 0 || this.#parts.clock.now() - upload.createdAt >= visible_after_ms
    return isVisible ? upload : { kind: 'upload-not-found', slug }
  }

  #findOwned(accountId: number, slug: string): UploadRecord | NotFound {
    const upload = this.#table.findBySlug(slug)
    if (upload?.accountId === accountId) return upload
    const isCaseIgnored = this.#parts.settings.current.case_insensitive_slugs
    const similar = isCaseIgnored ? this.#table.findAlike(accountId, slug) : undefined
    return similar ?? { kind: 'upload-not-found', slug }
  }

  remove(accountId: number, slug: string): UploadRecord | Refusal {
    const upload = this.#findOwned(accountId, slug)
    if ('kind' in upload) return upload
    // The record goes first: bytes without a record are removed later, a record without bytes could not be served.
    this.#table.remove(upload.slug)
    this.#parts.thumbnails.forget(upload)
    if (upload.blobId !== null) this.#parts.blobs.remove(upload.blobId)
    return upload
  }

  /**
   * Changes what users and visitors would change on the site, in any account.
   * @throws MissingRecordError
   */
  update(slug: string, changes: UploadChanges): UploadRecord {
    const upload = this.#table.update(slug, changes)
    if (upload === undefined) throw new MissingRecordError('upload', slug)
    return upload
  }

  /** Sets the title of the account's own upload. @param given a text without a visible character clears it */
  setTitle(accountId: number, slug: string, given: string): UploadRecord | TitleRefusal {
    if (this.#table.findBySlug(slug)?.accountId !== accountId) return { kind: 'upload-not-found', slug }
    const trimmed = given.trim()
    const title = invisible.test(trimmed) ? null : trimmed
    if (title !== null && control.test(title)) return { kind: 'control-character' }
    // Characters, of which some take two units of a JavaScript text.
    const isLong = title !== null && title.length > maxTitle
    if (isLong && (title.length > 2 * maxTitle || Array.from(title).length > maxTitle)) {
      return { kind: 'too-long' }
    }
    return this.update(slug, { title })
  }
}

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

/** The content of an upload's `file` field. */
export type SubmittedFile =
  | { readonly kind: 'missing' }
  /** Text, a number or a list instead of a file. */
  | {
      readonly kind: 'not-a-file'
      /** The number of characters or values. */
      readonly length: number
    }
  /** The request ended before the file did. */
  | { readonly kind: 'incomplete' }
  | ReceivedFile

/** A file that was received completely. */
export interface ReceivedFile {
  readonly kind: 'file'
  /** As sent by the client. */
  readonly name: string
  /** Detected from the content; undefined if unknown. */
  readonly mimeType: string | undefined
  readonly sizeBytes: number
  /** Of the received bytes, in lower-case hexadecimal. */
  readonly sha256: string
  /** The size limit when the file began to arrive. */
  readonly maxBytes: number
  /** The stored bytes; absent if the type was wrong or the file too large. */
  readonly blobId?: string
  /** The stored size, present with `blobId`; differs from `sizeBytes` after re-encoding. */
  readonly storedBytes?: number
}

/**
 * Why a submitted file is refused: every failed rule, in the order presence, file, type, size.
 * @param maxBytes the current size limit, for what is not a file
 * @returns an empty list if the file can be stored
 */
export function fileProblems(file: SubmittedFile, maxBytes: number): readonly FileProblem[] {
  switch (file.kind) {
    case 'missing':
    case 'incomplete':
      return [{ kind: file.kind }]
    case 'not-a-file':
      return [
        { kind: 'not-a-file' },
        { kind: 'wrong-type' },
        ...problemsIf(file.length > maxBytes / 1_024, { kind: 'too-large', maxBytes, counts: 'characters' }),
      ]
    case 'file': {
      const typeAccepted = file.mimeType !== undefined && acceptedMediaType(file.mimeType) !== undefined
      return [
        ...problemsIf(!typeAccepted || executableName.test(file.name), { kind: 'wrong-type' }),
        ...problemsIf(isOversized(file), { kind: 'too-large', maxBytes: file.maxBytes, counts: 'kilobytes' }),
      ]
    }
  }
}

function problemsIf(isBroken: boolean, problem: FileProblem): readonly FileProblem[] {
  return isBroken ? [problem] : []
}

/** Whether the file is too large, even if it fails other rules too. */
function isOversized(file: SubmittedFile): boolean {
  return file.kind === 'file' && file.sizeBytes > file.maxBytes
}

interface FileIntakeContext {
  readonly blobs: BlobStore
  readonly name: string
  readonly maxBytes: number
  /** Whether the stored bytes should differ from the received ones, as after re-encoding. */
  readonly reencode: boolean
}

export function createFileIntake({ blobs, name, maxBytes, reencode }: FileIntakeContext) {
  let head: Uint8Array[] | undefined = []
  let mimeType: string | undefined
  const meter = createFileMeter(name)
  let writer: BlobWriter | undefined

  const discard = async () => {
    await writer?.discard()
    writer = undefined
  }

  /** A file of an unacceptable type is counted to its end but not stored. */
  const decide = async (chunks: readonly Uint8Array[]) => {
    const start = Buffer.concat(chunks)
    head = undefined
    mimeType = sniffMimeType(start.subarray(0, sniffLengthBytes))
    if (mimeType === undefined || acceptedMediaType(mimeType) === undefined) return
    writer = blobs.create()
    await writer.write(start)
  }

  const take = async (chunk: Uint8Array) => {
    const sizeBytes = meter.take(chunk)
    if (head === undefined) await writer?.write(chunk)
    else {
      head.push(chunk)
      if (sizeBytes >= sniffLengthBytes) await decide(head)
    }
    if (sizeBytes > maxBytes) await discard()
  }

  const complete = async (): Promise<ReceivedFile> => {
    if (head !== undefined) await decide(head)
    const measured = meter.measured()
    if (measured.sizeBytes > maxBytes) await discard()
    const trail = reencode && mimeType !== undefined ? reencodingTrail(mimeType) : nothing
    if (trail.length > 0) await writer?.write(trail)
    await writer?.commit()
    return {
      kind: 'file',
      ...measured,
      mimeType,
      maxBytes,
      ...(writer === undefined ? {} : { blobId: writer.id, storedBytes: measured.sizeBytes + trail.length }),
    }
  }

  return {
    /**
     * Resolves when the next chunk may follow. The chunk is kept for a while and must not be reused.
     * @throws Error if storing fails: discard it then
     */
    write: take,
    /**
     * Call after the last chunk.
     * @throws Error if storing fails: discard it then
     */
    finish: complete,
    /** Removes everything stored of an unfinished file. */
    discard,
    /** What arrived; call after the last write. */
    received: meter.measured,
  }
}

/**
 * Receives an uploaded file: detects its type, counts and hashes its bytes, and stores acceptable ones. Only its first
 * bytes stay in memory.
 */
export type FileIntake = ReturnType<typeof createFileIntake>

/** Measures files and keeps nothing of them. */
export const measuringFiles = {
  receive(name: string): FileIntake {
    const meter = createFileMeter(name)
    return {
      write: async (chunk) => void meter.take(chunk),
      finish: async () => ({ kind: 'file', ...meter.measured(), mimeType: undefined, maxBytes: 0 }),
      discard: async () => {},
      received: meter.measured,
    }
  },
  discard: async () => {},
}

/** What is known of a file from its bytes alone. */
export type MeasuredFile = Pick<ReceivedFile, 'name' | 'sizeBytes' | 'sha256'>

/** Counts and hashes a file. */
function createFileMeter(name: string) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let sha256: string | undefined
  return {
    /** @returns the bytes so far */
    take(chunk: Uint8Array) {
      sizeBytes += chunk.length
      hash.update(chunk)
      return sizeBytes
    },
    measured(): MeasuredFile {
      sha256 ??= hash.digest('hex')
      return { name, sizeBytes, sha256 }
    },
  }
}

const nothing = new Uint8Array()

const isoFreeBox = Buffer.from('\0\0\0\x08free', 'latin1')
const ebmlVoid = Buffer.from([0xec, 0x82, 0, 0])
const padding = Buffer.alloc(8)

/**
 * Bytes appended to a file as if the service had re-encoded it. Decoders ignore them: the picture stays the same, its
 * size and digest change, and clients notice only those.
 */
function reencodingTrail(mimeType: string): Uint8Array {
  if (mimeType === 'video/mp4' || mimeType === 'video/quicktime') return isoFreeBox
  return mimeType === 'video/webm' ? ebmlVoid : padding
}
