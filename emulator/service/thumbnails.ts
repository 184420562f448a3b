import { createQueue } from '../../src/system/queue.ts'
import { tellError } from '../emulator-error.ts'
import type { Thumbnail, UploadRecord } from '../storage/record-types.ts'
import { MissingRecordError } from './refusal.ts'
import type { ServiceParts } from './service-parts.ts'
import {
  createThumbnailFiles,
  noThumbnail,
  placeholderThumbnail,
  type StoredFile,
  thumbnailUnwanted,
} from './thumbnail-files.ts'

export function createThumbnails({
  records,
  blobs,
  settings,
  clock,
  makeThumbnail,
}: Pick<ServiceParts, 'records' | 'blobs' | 'settings' | 'clock' | 'makeThumbnail'>) {
  const { uploads } = records
  const files = createThumbnailFiles({ records, blobs, makeThumbnail })
  const pending = new Map<string, AbortController>()
  const closing = new AbortController()
  const inTurn = createQueue()

  /** One at a time, to bound the memory in use. */
  const oneAtATime = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = inTurn(work)
    clock.holdWhile(result)
    return result
  }

  const found = (slug: string): UploadRecord => {
    const upload = uploads.findBySlug(slug)
    if (upload === undefined) throw new MissingRecordError('upload', slug)
    return upload
  }

  const makeWhenDue = async (slug: string, dueAt: number, signal: AbortSignal) => {
    try {
      await clock.sleepInBackground(dueAt - clock.now(), signal)
      await oneAtATime(async () => {
        const upload = uploads.findBySlug(slug)
        if (upload !== undefined && !signal.aborted) await files.make(upload, { signal })
      })
    } catch (error) {
      if (!signal.aborted) tellError(error)
    }
  }

  const begin = async ({ slug, thumbnail }: UploadRecord): Promise<void> => {
    if (thumbnail.state !== 'pending' || closing.signal.aborted) return
    const ending = new AbortController()
    pending.set(slug, ending)
    await makeWhenDue(slug, thumbnail.dueAt, ending.signal)
    if (pending.get(slug) === ending) pending.delete(slug)
  }

  const cancel = (slug: string, reason?: Error) => {
    pending.get(slug)?.abort(reason)
    pending.delete(slug)
  }

  const cancelAll = () => {
    for (const slug of [...pending.keys()]) cancel(slug)
  }

  const removeThumbnail = async (before: UploadRecord): Promise<UploadRecord> => {
    const { slug } = before
    const upload = uploads.update(slug, { thumbnail: noThumbnail })
    await files.discard(before)
    return upload ?? found(slug)
  }

  const initial = (): Thumbnail => {
    const { thumbnail, thumbnail_delay_ms: delayMs } = settings.current
    if (thumbnail === 'never') return noThumbnail
    return { state: 'pending', dueAt: clock.now() + (thumbnail === 'delayed' ? delayMs : 0) }
  }

  return {
    /** The thumbnail state of an upload made now. */
    initial,
    /**
     * Like `initial`, but a thumbnail due at once is already made: a record is written only when all its bytes are
     * stored.
     */
    async prepare(file: StoredFile): Promise<Thumbnail> {
      const planned = initial()
      if (planned.state !== 'pending' || planned.dueAt > clock.now()) return planned
      return oneAtATime(() => files.create(file, { signal: closing.signal }))
    },
    /**
     * Makes a new upload's thumbnail when it is due; if that is now, before this resolves.
     * @returns the upload as it is then
     */
    async schedule(upload: UploadRecord): Promise<UploadRecord> {
      const { slug, thumbnail } = upload
      const made = begin(upload)
      if (thumbnail.state === 'pending' && thumbnail.dueAt <= clock.now()) await made
      return uploads.findBySlug(slug) ?? upload
    },
    /** The upload whose thumbnail is due next; undefined if none is to be made. `at`: epoch milliseconds. */
    nextDue(): { readonly slug: string; readonly at: number } | undefined {
      let next: { readonly slug: string; readonly at: number } | undefined
      for (const { slug, thumbnail } of uploads.awaitingThumbnail()) {
        if (thumbnail.state !== 'pending' || (next !== undefined && next.at <= thumbnail.dueAt)) continue
        next = { slug, at: thumbnail.dueAt }
      }
      return next
    },
    /**
     * Makes an upload's thumbnail now, or removes it. If the file yields none, a grey rectangle is used, since the caller
     * asked for one.
     * @throws MissingRecordError
     */
    async set(slug: string, state: 'ready' | 'none'): Promise<UploadRecord> {
      const upload = found(slug)
      if (upload.thumbnail.state === state && !pending.has(slug)) return upload
      cancel(slug, state === 'none' ? thumbnailUnwanted : undefined)
      if (state === 'none') return removeThumbnail(upload)
      await oneAtATime(async () => {
        const { signal } = closing
        const current = found(slug)
        if (current.thumbnail.state !== 'ready') await files.make(current, { signal, fallback: placeholderThumbnail })
      })
      return found(slug)
    },
    /** Removes a thumbnail's bytes, unless they are the file's own. */
    discard: files.discard,
    /** Removes the thumbnail of a removed upload, or cancels it. */
    async forget(removed: UploadRecord) {
      cancel(removed.slug)
      await files.discard(removed)
    },
    /**
     * Replaces everything scheduled by what is pending in the records; call it at the start and after the records were
     * replaced.
     */
    resume() {
      cancelAll()
      for (const upload of uploads.awaitingThumbnail()) void begin(upload)
    },
    /** Cancels scheduled and running work, which the next run resumes, and waits for it to stop. */
    async close() {
      closing.abort()
      cancelAll()
      await inTurn(() => {})
    },
  }
}

/** Thumbnails are made in the background, some time after the upload, one at a time (spec 2.1). */
export type Thumbnails = ReturnType<typeof createThumbnails>
