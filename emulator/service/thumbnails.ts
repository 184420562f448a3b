import type { EmulatorClock } from '../clock.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { RecordStore, Thumbnail, UploadRecord } from '../storage/record-store.ts'
import { placeholderThumbnail } from './placeholder-thumbnail.ts'
import { MissingRecordError } from './refusal.ts'
import { createThumbnailFiles, noThumbnail, notWanted, type StoredFile } from './thumbnail-files.ts'
import type { ThumbnailMaker } from './thumbnail-maker.ts'

/** Thumbnails come some time after the upload, in the background and one at a time (spec 2.1). */
export interface Thumbnails {
  /** Where the thumbnail of an upload made now stands at first. */
  plan(): Thumbnail
  /** As planned for a file, but made already where it is due at once: records are written last, when all bytes are there. */
  prepare(file: StoredFile): Promise<Thumbnail>
  /**
   * Follows a new upload until its thumbnail is due; one that is due already is made before this resolves.
   * @returns the upload as it is then
   */
  follow(upload: UploadRecord): Promise<UploadRecord>
  /**
   * Makes an upload's thumbnail now, or sees to it that it has none. Where none can be made of the file, a grey
   * rectangle is the thumbnail, for whoever asks wants one to exist.
   * @throws MissingRecordError
   */
  set(slug: string, state: 'ready' | 'none'): Promise<UploadRecord>
  /** Forgets the thumbnail of an upload that has been removed, made or not. */
  forget(removed: UploadRecord): Promise<void>
  /** Takes up what is pending in the records, in place of all it knew: when the service starts or gets other records. */
  resume(): void
  /** Gives up what is pending and being made, which the next run takes up, and waits until that has ended. */
  close(): Promise<void>
}

interface ThumbnailsContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  readonly makeThumbnail: ThumbnailMaker
}

export function createThumbnails({ records, blobs, settings, clock, makeThumbnail }: ThumbnailsContext): Thumbnails {
  const { uploads } = records
  const files = createThumbnailFiles({ records, blobs, makeThumbnail })
  const pending = new Map<string, AbortController>()
  const closing = new AbortController()
  let line: Promise<unknown> = Promise.resolve()

  /** A thumbnail is worth little, and the memory it takes is not: one at a time. */
  const inLine = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = line.then(work)
    line = turn.catch(() => {})
    clock.holdWhile(line)
    return turn
  }

  const found = (slug: string): UploadRecord => {
    const upload = uploads.findBySlug(slug)
    if (upload === undefined) throw new MissingRecordError('upload', slug)
    return upload
  }

  const makeWhenDue = async (slug: string, dueAt: number, signal: AbortSignal) => {
    try {
      await clock.sleep(dueAt - clock.now(), signal)
      await inLine(async () => {
        const upload = uploads.findBySlug(slug)
        if (upload !== undefined && !signal.aborted) await files.make(upload, { signal })
      })
    } catch (error) {
      if (!signal.aborted) process.emitWarning(error instanceof Error ? error : String(error))
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

  const drop = async (before: UploadRecord): Promise<UploadRecord> => {
    const { slug } = before
    const upload = uploads.update(slug, { thumbnail: noThumbnail })
    await files.discard(before)
    return upload ?? found(slug)
  }

  const plan = (): Thumbnail => {
    const { thumbnail, thumbnail_delay_ms: delayMs } = settings.current
    if (thumbnail === 'never') return noThumbnail
    return { state: 'pending', dueAt: clock.now() + (thumbnail === 'delayed' ? delayMs : 0) }
  }

  return {
    plan,
    async prepare(file) {
      const planned = plan()
      if (planned.state !== 'pending' || planned.dueAt > clock.now()) return planned
      return inLine(() => files.create(file, { signal: closing.signal }))
    },
    async follow(upload) {
      const { slug, thumbnail } = upload
      const made = begin(upload)
      if (thumbnail.state === 'pending' && thumbnail.dueAt <= clock.now()) await made
      return uploads.findBySlug(slug) ?? upload
    },
    async set(slug, state) {
      const upload = found(slug)
      if (upload.thumbnail.state === state && !pending.has(slug)) return upload
      cancel(slug, state === 'none' ? notWanted : undefined)
      if (state === 'none') return drop(upload)
      await inLine(async () => {
        const { signal } = closing
        const current = found(slug)
        if (current.thumbnail.state !== 'ready') await files.make(current, { signal, fallback: placeholderThumbnail })
      })
      return found(slug)
    },
    async forget(removed) {
      cancel(removed.slug)
      await files.discard(removed)
    },
    resume() {
      cancelAll()
      for (const upload of uploads.awaitingThumbnail()) void begin(upload)
    },
    async close() {
      closing.abort()
      cancelAll()
      await line
    },
  }
}
