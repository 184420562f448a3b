import type { Upload } from '../../protocol/resources.ts'
import { essence, type Treatment } from './match-uploads.ts'
import type { UncertainUpload } from './uncertain-upload.ts'
import type { UploadIntent } from './upload-intent.ts'

/** Tells of an upload on its way what may be stored of it by now; undefined while nothing can be. */
export type TrackedUpload = () => UncertainUpload | undefined

/** What one client knows of the account's uploads: what it made itself, what it saw, and what is still open. */
export interface UploadRegistry {
  /** An upload of ours begins. @returns to be called when it is over */
  track(upload: TrackedUpload): () => void
  /** The service answered an upload of ours with this one. */
  answered(upload: Upload, sent: { readonly size: number; readonly mimeType: string }): void
  /** The list proved that this one is ours, for it looks as the file that was sent. */
  adopted(upload: Upload): void
  /** These were there, whoever made them. */
  saw(uploads: readonly Upload[]): void
  /** Whether it is one that this client made or found. */
  isOurs(slug: string): boolean
  /** Stands for what is known by now. */
  mark(): number
  /** Whether an upload had been seen by the time of a mark; no clock has a say in it. */
  wasSeenBefore(slug: string, mark: number): boolean
  /** What became known lately. */
  recent(): readonly string[]
  /** Nothing tells what became of this one. */
  addUncertain(upload: UncertainUpload): void
  /** These are looked for anew: what was left open of them is theirs, and no other upload's. */
  removeUncertain(intents: readonly UploadIntent[]): void
  /** What is open besides this one. */
  otherUncertain(than?: TrackedUpload): readonly UncertainUpload[]
  treatmentOf(mimeType: string): Treatment
}

/** A service's times are told apart from earlier ones within seconds; what was known before that need not be named. */
const WORTH_KNOWING_MS = 60_000
/** So many of the latest are named whatever the time, for a clock may have been set. */
const WORTH_KNOWING = 100

/** @param now by a steady clock where there is one */
export function createUploadRegistry(now: () => number): UploadRegistry {
  const ours = new Set<string>()
  /** The place in `known` of those that are not ours. */
  const seen = new Map<string, number>()
  /** In the order in which they became known, so that what is recent is found from the end, however many there are. */
  const known: { readonly slug: string; readonly at: number }[] = []
  const open = new Set<TrackedUpload>()
  let uncertain: readonly UncertainUpload[] = []
  const treatments = new Map<string, Treatment>()

  function addOurs(slug: string): void {
    ours.add(slug)
    known.push({ slug, at: now() })
  }

  return {
    track(upload) {
      open.add(upload)
      return () => open.delete(upload)
    },
    answered(upload, { size, mimeType }) {
      addOurs(upload.slug)
      const asSent = upload.size === size && essence(upload.mime_type) === essence(mimeType)
      // One that was changed weighs more: a service may leave those alone that are small or plain already.
      if (treatments.get(mimeType) !== 'changes') treatments.set(mimeType, asSent ? 'keeps' : 'changes')
    },
    adopted({ slug, mime_type }) {
      addOurs(slug)
      const type = essence(mime_type)
      if (treatments.get(type) === undefined) treatments.set(type, 'keeps')
    },
    saw(uploads) {
      for (const { slug } of uploads) {
        if (ours.has(slug) || seen.has(slug)) continue
        seen.set(slug, known.length)
        known.push({ slug, at: now() })
      }
    },
    isOurs: (slug) => ours.has(slug),
    mark: () => known.length,
    wasSeenBefore: (slug, mark) => (seen.get(slug) ?? Number.POSITIVE_INFINITY) < mark,
    recent() {
      const since = now() - WORTH_KNOWING_MS
      const from = Math.min(known.findLastIndex(({ at }) => at < since) + 1, known.length - WORTH_KNOWING)
      return [...new Set(known.slice(Math.max(from, 0)).map(({ slug }) => slug))]
    },
    addUncertain(upload) {
      uncertain = [...uncertain, upload]
    },
    removeUncertain(intents) {
      uncertain = uncertain.filter(({ intent: other }) => !intents.some((intent) => isSame(other, intent)))
    },
    otherUncertain(than) {
      const inFlight = [...open].filter((upload) => upload !== than).map((upload) => upload())
      return [...uncertain, ...inFlight.filter((upload) => upload !== undefined)]
    },
    treatmentOf: (mimeType) => treatments.get(mimeType),
  }
}

/** An intent may have been written down and read again meanwhile. */
function isSame(one: UploadIntent, other: UploadIntent): boolean {
  return one.startedAt === other.startedAt && one.mimeType === other.mimeType && one.size === other.size
}
