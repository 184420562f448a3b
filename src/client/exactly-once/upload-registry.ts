import type { Upload } from '../../protocol/resources.ts'
import { essence, type Treatment } from './reconcile.ts'
import type { UploadIntent } from './upload-intent.ts'

/** Tells of an upload on its way what may be stored of it by now; undefined while nothing can be. */
export type OpenUpload = () => UploadIntent | undefined

/** What one client knows of the account's uploads: what it made itself, what it saw, and what is still open. */
export interface UploadRegistry {
  /** An upload of ours begins. @returns to be called when it is over */
  open(upload: OpenUpload): () => void
  /** The service answered an upload of ours with this one. */
  answered(upload: Upload, sent: { readonly size: number; readonly mimeType: string }): void
  /** The list proved that this one is ours, for it looks as the file that was sent. */
  adopted(upload: Upload): void
  /** These were there at that time (epoch milliseconds), whoever made them. */
  saw(uploads: readonly Upload[], at: number): void
  /** Whether an upload is known to be another than this intent's. */
  isKnown(slug: string, intent: UploadIntent): boolean
  /** What became known since then, of uploads that are not those of an intent that starts now. */
  knownSince(at: number): readonly string[]
  /** Nothing tells what became of this one. */
  leftOpen(intent: UploadIntent): void
  /** These are looked for anew: what was left open of them is theirs, and no other upload's. */
  takenUp(intents: readonly UploadIntent[]): void
  /** What is open besides this one. */
  others(than?: OpenUpload): readonly UploadIntent[]
  treatmentOf(mimeType: string): Treatment
}

export function createUploadRegistry(now: () => number): UploadRegistry {
  const ours = new Set<string>()
  const seen = new Map<string, number>()
  /** In the order in which they became known, so that what is recent is found from the end, however many there are. */
  const known: { readonly slug: string; readonly at: number }[] = []
  const open = new Set<OpenUpload>()
  let unsettled: readonly UploadIntent[] = []
  const treatments = new Map<string, Treatment>()

  function addOurs(slug: string): void {
    ours.add(slug)
    known.push({ slug, at: now() })
  }

  return {
    open(upload) {
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
    saw(uploads, at) {
      for (const { slug } of uploads) {
        if (ours.has(slug) || seen.has(slug)) continue
        seen.set(slug, at)
        known.push({ slug, at })
      }
    },
    isKnown: (slug, { startedAt }) => ours.has(slug) || (seen.get(slug) ?? Number.POSITIVE_INFINITY) < startedAt,
    knownSince(at) {
      const recent = known.slice(known.findLastIndex((entry) => entry.at < at) + 1)
      return [...new Set(recent.map(({ slug }) => slug))]
    },
    leftOpen(intent) {
      unsettled = [...unsettled, intent]
    },
    takenUp(intents) {
      unsettled = unsettled.filter((other) => !intents.some((intent) => isSame(other, intent)))
    },
    others(than) {
      const inFlight = [...open].filter((upload) => upload !== than).map((upload) => upload())
      return [...unsettled, ...inFlight.filter((intent) => intent !== undefined)]
    },
    treatmentOf: (mimeType) => treatments.get(mimeType),
  }
}

/** An intent may have been written down and read again meanwhile. */
function isSame(one: UploadIntent, other: UploadIntent): boolean {
  return one.startedAt === other.startedAt && one.mimeType === other.mimeType && one.size === other.size
}
