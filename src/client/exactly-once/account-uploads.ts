import type { Clock } from '../../clock.ts'
import { essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import { orAborted } from '../../system/signals.ts'
import { looksLike, type Treatment } from './match-uploads.ts'
import type { UncertainUpload } from './uncertain-upload.ts'
import type { UploadIntent } from './upload-intent.ts'

/** What all clients of one account in this process share: what they send, and what they know of its uploads. */
interface AccountUploads {
  readonly registry: UploadRegistry
  readonly alike: UploadsAlike
}

/** Times of different clocks cannot be compared. */
const accounts = new WeakMap<Clock, Map<string, WeakRef<AccountUploads>>>()

/**
 * @param clock of the client
 * @param now by a steady clock, if the client's clock has a monotonic time
 */
export function accountUploads(baseUrl: string, apiKey: string, clock: Clock, now: () => number): AccountUploads {
  const known = accounts.get(clock) ?? new Map<string, WeakRef<AccountUploads>>()
  accounts.set(clock, known)
  for (const [account, uploads] of known) if (uploads.deref() === undefined) known.delete(account)
  const account = `${apiKey} ${baseUrl}`
  const shared = known.get(account)?.deref() ?? { registry: createUploadRegistry(now), alike: new UploadsAlike() }
  known.set(account, new WeakRef(shared))
  return shared
}

/** An upload whose outcome is open; undefined while the service cannot have stored it. */
export type TrackedUpload = () => UncertainUpload | undefined

/** The list may show a new upload as older than it is, but by less than this: older slugs need not be named. */
const WORTH_KNOWING_MS = 60_000
/** So many latest slugs count as recent at any age, because a clock may have been set. */
const WORTH_KNOWING = 100

/** @param now by a steady clock, if the client's clock has a monotonic time */
export function createUploadRegistry(now: () => number) {
  const ours = new Set<string>()
  /** Slugs of others, with their index in `known`. */
  const seen = new Map<string, number>()
  /** In the order in which they became known: recent ones are found from the end, however many there are. */
  const known: { readonly slug: string; readonly at: number }[] = []
  const open = new Set<TrackedUpload>()
  const treatments = new Map<string, Treatment>()
  /** Those who wait for an answer. */
  const waiting = new Set<() => void>()

  function addOurs(slug: string): void {
    if (ours.has(slug)) return
    ours.add(slug)
    known.push({ slug, at: now() })
  }

  function attemptEnded(): void {
    for (const wake of waiting) wake()
    waiting.clear()
  }

  return {
    /** Notes an upload whose outcome is open. @returns to be called when its outcome is known */
    track(upload: TrackedUpload): () => void {
      open.add(upload)
      return () => {
        open.delete(upload)
        attemptEnded()
      }
    },
    /** No answer to the last attempt of an upload will come any more. */
    attemptEnded,
    /** Resolves when the next attempt of an upload has ended. */
    nextEnd: () => new Promise<void>((resolve) => waiting.add(resolve)),
    /** Whether an upload that is under way may yet be answered with this record of the list. */
    mayBeAnswered: (record: Upload) =>
      [...open].some((tracked) => {
        const upload = tracked()
        return upload?.isAnswerDue && looksLike(record, upload.intent) && !upload.wasSeenBefore(record.slug)
      }),
    /** The service answered an upload of this client with this record. */
    answered(upload: Upload, { size, mimeType }: { readonly size: number; readonly mimeType: string }) {
      addOurs(upload.slug)
      const asSent = upload.size === size && essence(upload.mime_type) === essence(mimeType)
      // One changed file outweighs many kept ones: a service may leave small or plain files as they are.
      if (treatments.get(mimeType) !== 'changes') treatments.set(mimeType, asSent ? 'keeps' : 'changes')
    },
    /** The list proved that this record is an upload of this client. */
    adopted({ slug, mime_type }: Upload) {
      addOurs(slug)
      const type = essence(mime_type)
      if (treatments.get(type) === undefined) treatments.set(type, 'keeps')
    },
    /** The list showed these. */
    saw(uploads: readonly Upload[]) {
      for (const { slug } of uploads) {
        if (ours.has(slug) || seen.has(slug)) continue
        seen.set(slug, known.length)
        known.push({ slug, at: now() })
      }
    },
    /** Whether the service answered this client with it, or this client found it in the list. */
    isOurs: (slug: string) => ours.has(slug),
    /** How many slugs have become known so far. */
    mark: () => known.length,
    /** Whether the list showed a slug before a mark; does not depend on a clock. */
    wasSeenBefore: (slug: string, mark: number) => (seen.get(slug) ?? Number.POSITIVE_INFINITY) < mark,
    /** Slugs that became known lately. */
    recent(): readonly string[] {
      const since = now() - WORTH_KNOWING_MS
      const from = Math.min(known.findLastIndex(({ at }) => at < since) + 1, known.length - WORTH_KNOWING)
      return [...new Set(known.slice(Math.max(from, 0)).map(({ slug }) => slug))]
    },
    /** Ends the tracking of these uploads: they are looked for again, and no longer count as other uploads. */
    untrack(intents: readonly UploadIntent[]) {
      for (const upload of open) {
        const tracked = upload()?.intent
        if (tracked !== undefined && intents.some((intent) => isSame(tracked, intent))) open.delete(upload)
      }
    },
    /** All uploads that may be stored, except these. */
    otherUncertain: (than: readonly TrackedUpload[] = []): readonly UncertainUpload[] =>
      [...open].flatMap((upload) => (than.includes(upload) ? [] : (upload() ?? []))),
    treatmentOf: (mimeType: string): Treatment => treatments.get(mimeType),
  }
}

/** What one client knows of the account's uploads: its own, those that the list showed, and those that may be stored. */
export type UploadRegistry = ReturnType<typeof createUploadRegistry>

/** By value, because an intent may have been saved and read again. */
function isSame(one: UploadIntent, other: UploadIntent): boolean {
  return one.startedAt === other.startedAt && one.mimeType === other.mimeType && one.size === other.size
}

/** Uploads of one size and type that are under way: in the list they look alike. */
export class UploadsAlike {
  /** By size and type: promises that resolve once nothing more is learnt from an upload for now. */
  readonly #underWay = new Map<string, Set<Promise<void>>>()

  /** @returns what waits for the others, and what ends this one; call it once its outcome is known */
  begin(key: string) {
    const all = this.#underWay.get(key) ?? new Set()
    this.#underWay.set(key, all)
    const { promise: own, resolve: tellNothing } = Promise.withResolvers<void>()
    all.add(own)
    return {
      /**
       * Waits until those that are under way now have ended, or wait in turn.
       * @returns whether there were any. @throws `signal.reason` when aborted
       */
      async othersEnded(signal?: AbortSignal): Promise<boolean> {
        tellNothing()
        const others = [...all].filter((other) => other !== own)
        await orAborted(Promise.all(others), signal)
        return others.length > 0
      },
      end: () => {
        tellNothing()
        all.delete(own)
        if (all.size === 0) this.#underWay.delete(key)
      },
    }
  }
}
