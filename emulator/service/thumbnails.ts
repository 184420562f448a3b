import { createQueue } from '../../src/system/queue.ts'
import { tellError } from '../emulator-error.ts'
import type { Thumbnail, UploadRecord } from '../storage/record-types.ts'
import { MissingRecordError } from './refusal.ts'
import type { ServiceParts } from './service-parts.ts'

const noThumbnail: Thumbnail = { state: 'none' }

/** Abort reason: the upload should have no thumbnail. After any other abort the thumbnail is pending again. */
const unwanted = new Error('The upload is to have no thumbnail')

/** A stored file, before or after it becomes an upload. */
type StoredFile = Pick<UploadRecord, 'blobId' | 'mimeType' | 'sizeBytes'>

type Parts = Pick<ServiceParts, 'records' | 'blobs' | 'settings' | 'clock' | 'makeThumbnail'>

/** Thumbnails are made in the background, some time after the upload, one at a time (spec 2.1). */
export class Thumbnails {
  readonly #parts: Parts
  readonly #pending = new Map<string, AbortController>()
  readonly #closing = new AbortController()
  readonly #inTurn = createQueue()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  #find(slug: string): UploadRecord | undefined {
    return this.#parts.records.uploads.findBySlug(slug)
  }

  #found(slug: string): UploadRecord {
    const upload = this.#find(slug)
    if (upload === undefined) throw new MissingRecordError('upload', slug)
    return upload
  }

  /** To bound the memory in use; a move of the clock waits for it. */
  #oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#inTurn(work)
    this.#parts.clock.holdWhile(result)
    return result
  }

  /** The thumbnail state of an upload made now. */
  initial(): Thumbnail {
    const { settings, clock } = this.#parts
    const { thumbnail, thumbnail_delay_ms: delayMs } = settings.current
    if (thumbnail === 'never') return noThumbnail
    return { state: 'pending', dueAt: clock.now() + (thumbnail === 'delayed' ? delayMs : 0) }
  }

  /**
   * Like `initial`, but a thumbnail due at once is already made: a record is written only when all its bytes are
   * stored.
   */
  async prepare(file: StoredFile): Promise<Thumbnail> {
    const planned = this.initial()
    if (planned.state !== 'pending' || planned.dueAt > this.#parts.clock.now()) return planned
    return this.#oneAtATime(() => this.#create(file, this.#closing.signal))
  }

  /**
   * Makes a new upload's thumbnail when it is due; if that is now, before this resolves.
   * @returns the upload as it is then
   */
  async schedule(upload: UploadRecord): Promise<UploadRecord> {
    const { slug, thumbnail } = upload
    const made = this.#begin(upload)
    if (thumbnail.state === 'pending' && thumbnail.dueAt <= this.#parts.clock.now()) await made
    return this.#find(slug) ?? upload
  }

  async #begin({ slug, thumbnail }: UploadRecord): Promise<void> {
    if (thumbnail.state !== 'pending' || this.#closing.signal.aborted) return
    const { clock } = this.#parts
    const ending = new AbortController()
    const { signal } = ending
    this.#pending.set(slug, ending)
    try {
      await clock.sleepInBackground(thumbnail.dueAt - clock.now(), signal)
      await this.#oneAtATime(async () => {
        const upload = this.#find(slug)
        if (upload !== undefined && !signal.aborted) await this.#make(upload, signal)
      })
    } catch (error) {
      if (!signal.aborted) tellError(error)
    }
    if (this.#pending.get(slug) === ending) this.#pending.delete(slug)
  }

  #cancel(slug: string, reason?: Error): void {
    this.#pending.get(slug)?.abort(reason)
    this.#pending.delete(slug)
  }

  #cancelAll(): void {
    for (const slug of [...this.#pending.keys()]) this.#cancel(slug)
  }

  /**
   * Makes an upload's thumbnail now, or removes it. If the file yields none, a grey rectangle is used, since the caller
   * asked for one.
   * @throws MissingRecordError
   */
  async set(slug: string, state: 'ready' | 'none'): Promise<UploadRecord> {
    const upload = this.#found(slug)
    if (upload.thumbnail.state === state && !this.#pending.has(slug)) return upload
    this.#cancel(slug, state === 'none' ? unwanted : undefined)
    if (state === 'none') {
      const updated = this.#parts.records.uploads.update(slug, { thumbnail: noThumbnail })
      this.#discard(upload)
      return updated ?? upload
    }
    await this.#oneAtATime(async () => {
      const current = this.#found(slug)
      if (current.thumbnail.state === 'ready') return
      await this.#make(current, this.#closing.signal, placeholderThumbnail)
    })
    return this.#found(slug)
  }

  /** Removes the thumbnail of a removed upload, or cancels it. */
  forget(removed: UploadRecord): void {
    this.#cancel(removed.slug)
    this.#discard(removed)
  }

  /**
   * Replaces everything scheduled by what is pending in the records; call it at the start and after the records were
   * replaced.
   */
  resume(): void {
    this.#cancelAll()
    for (const upload of this.#parts.records.uploads.awaitingThumbnail()) void this.#begin(upload)
  }

  /** Cancels scheduled and running work, which the next run resumes, and waits for it to stop. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#cancelAll()
    await this.#inTurn(() => {})
  }

  /** Makes an upload's thumbnail and writes the outcome into its record, unless it was deleted meanwhile. */
  async #make(upload: UploadRecord, signal: AbortSignal, fallback?: Uint8Array): Promise<void> {
    const { records } = this.#parts
    const { slug, id, blobId } = upload
    // Written first, so that a file that crashes the process is not tried again by the next one.
    records.uploads.update(slug, { thumbnail: noThumbnail })
    const note = (thumbnail: Thumbnail) =>
      this.#find(slug)?.id === id && signal.reason !== unwanted
        ? records.uploads.update(slug, { thumbnail })
        : undefined
    await records.turns.flushed()
    const thumbnail = await this.#create(upload, signal, fallback).catch((error: unknown) => {
      note(upload.thumbnail)
      throw error
    })
    const updated = note(signal.aborted ? upload.thumbnail : thumbnail)
    if (updated?.thumbnail !== thumbnail) this.#discard({ blobId, thumbnail })
  }

  /**
   * Makes and stores the thumbnail of a file that may become an upload; a failure costs only the thumbnail.
   * @param fallback a JPEG to use if the file yields none
   * @returns `none` if the file yields none or the signal aborts
   */
  async #create(
    { blobId, mimeType, sizeBytes }: StoredFile,
    signal: AbortSignal,
    fallback?: Uint8Array,
  ): Promise<Thumbnail> {
    const { blobs, makeThumbnail } = this.#parts
    const made =
      blobId === null
        ? undefined
        : makeThumbnail(
            { mimeType, sizeBytes, read: () => blobs.read(blobId), path: () => blobs.path(blobId) },
            signal,
          ).catch(() => undefined)
    const picture = (await made) ?? fallback
    if (picture === undefined || signal.aborted) return noThumbnail
    if (picture === 'itself') return blobId === null ? noThumbnail : { state: 'ready', blobId, mimeType, sizeBytes }
    return this.#store(picture === 'placeholder' ? placeholderThumbnail : picture)
  }

  async #store(bytes: Uint8Array): Promise<Thumbnail> {
    const writer = this.#parts.blobs.create()
    await writer.write(bytes)
    await writer.commit()
    return { state: 'ready', blobId: writer.id, mimeType: 'image/jpeg', sizeBytes: bytes.length }
  }

  /** Removes the thumbnail's bytes, unless they are the file's own. */
  #discard({ blobId, thumbnail }: Pick<UploadRecord, 'blobId' | 'thumbnail'>): void {
    if (thumbnail.state === 'ready' && thumbnail.blobId !== blobId) this.#parts.blobs.remove(thumbnail.blobId)
  }
}

/** A grey JPEG of 16 by 12 pixels. */
export const placeholderThumbnail: Uint8Array = Buffer.from(
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAAMABABAREA' +
    '/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQEAAAAAo//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8AH//Z',
  'base64',
)
