import { acceptedMediaType, essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'

/** A span in epoch milliseconds, both ends included. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/**
 * An upload that is about to be sent: all that is needed to find out later whether it was stored. Plain data that can be
 * saved as JSON before the first byte leaves, for another process to reconcile.
 */
export interface UploadIntent {
  /** In bytes; null for a stream of unknown size. */
  readonly size: number | null
  /** By the file's first bytes. */
  readonly mimeType: string
  /** Epoch milliseconds: before the first byte of the first attempt that may have been stored. */
  readonly startedAt: number
  /** Epoch milliseconds: when the last attempt had ended; null if unknown. */
  readonly endedAt: number | null
  /** The clock's monotonic time at `startedAt`, if it has one: shows later whether the clock was set since. */
  readonly monotonic?: number
  /** When it began by the service's clock, if its answers had told the time by then. */
  readonly serviceStartedAt?: TimeSpan
  /** Slugs of other files; more may be added after the intent was saved. */
  readonly knownSlugs: readonly string[]
}

/** What the list says about an {@link UploadIntent}. */
export type Reconciliation =
  | { readonly type: 'stored'; readonly upload: Upload }
  | { readonly type: 'not-stored' }
  /** It may be one of these, or none. Without candidates the list could not be read for it. */
  | { readonly type: 'ambiguous'; readonly candidates: readonly Upload[] }

/** An upload that may have been stored. */
export interface UncertainUpload {
  readonly intent: UploadIntent
  /** The service's time from its beginning to its end, by what is known of that clock now: each answer tells more. */
  made(): TimeSpan
  /** Whether the list showed a slug before this upload began. */
  wasSeenBefore(slug: string): boolean
}

/** Whether the service changes files of a type before it stores them; undefined until it has shown that. */
export type Treatment = 'keeps' | 'changes' | undefined

/** What is known of the account's uploads. */
interface AccountKnowledge {
  /** Whether this client uploaded it. */
  isOurs(slug: string): boolean
  treatmentOf(mimeType: string): Treatment
}

/**
 * The entries of the list that may be an upload: of its size and type, made at its time, and not known to be another file.
 * Where none is, a service that may change files could have stored it with another size or type: then every entry of its
 * time. Only their bytes tell which it is.
 *
 * @param listed newest first
 * @returns oldest first: of several with its bytes an upload takes the first, which one that began later cannot have made
 */
export function findCandidates(
  { intent, wasSeenBefore, ...upload }: UncertainUpload,
  listed: readonly Upload[],
  account: AccountKnowledge,
): readonly Upload[] {
  const [made, treatment] = [upload.made(), account.treatmentOf(intent.mimeType)]
  const known = new Set(intent.knownSlugs)
  const isKnown = (slug: string) => known.has(slug) || account.isOurs(slug) || wasSeenBefore(slug)
  const unknown = listed.filter(({ slug }) => !isKnown(slug)).toReversed()
  const timely = unknown.filter((upload) => isTimely(upload, made))
  const alike = timely.filter((upload) => looksLike(upload, intent))
  const hourOff = unknown.filter((upload) => looksLike(upload, intent) && !isTimely(upload, made))
  const likely = [...alike, ...hourOff.filter((upload) => isHourOff(upload, made))]
  // A type that is not accepted may be named differently by the service: text/plain, text/x-c.
  const changes = treatment === 'changes' || intent.size === null || acceptedMediaType(intent.mimeType) === undefined
  if (changes) return [...likely, ...timely.filter((upload) => !looksLike(upload, intent))]
  if (likely.length > 0 || treatment === 'keeps') return likely
  return timely
}

export function looksLike({ size, mime_type }: Upload, intent: UploadIntent): boolean {
  return size === intent.size && essence(mime_type) === essence(intent.mimeType)
}

/** A server may still store an upload after a proxy between has given up, but only for minutes. */
const LATEST_COMMIT_MS = 600_000

/** One whose time cannot be read may have been made at any. */
function isTimely(upload: Upload, { from, to }: TimeSpan): boolean {
  const span = creationSpan(upload)
  return span === undefined || overlap(span, { from, to: to + LATEST_COMMIT_MS })
}

/** A service that stores local times shows some of them an hour off around a daylight saving change. */
export const HOUR_MS = 3_600_000
const HOUR_OFF_GRACE_MS = 60_000

function isHourOff(upload: Upload, { from, to }: TimeSpan): boolean {
  const span = creationSpan(upload)
  const sending = { from, to: (Number.isFinite(to) ? to : from) + HOUR_OFF_GRACE_MS }
  const byHours = (ms: number) => span && overlap({ from: span.from + ms, to: span.to + ms }, sending)
  return [-HOUR_MS, HOUR_MS].some(byHours)
}

function overlap(one: TimeSpan, other: TimeSpan): boolean {
  return one.from <= other.to && other.from <= one.to
}

/** Whether pages after the one that ends with this upload may hold uploads of these times; the list is newest first. */
export function mayGoBackTo(last: Upload, spans: readonly TimeSpan[]): boolean {
  const span = creationSpan(last)
  return span !== undefined && spans.some(({ from }) => span.to >= from)
}

const forms = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)([.,]\d+)?\s*(?:Z|([+-]\d\d)(?::?(\d\d))?)$/i

/**
 * Reads a `created_at` (spec 2.1): with `+02:00`, `+0200`, `+02` or `Z`, with or without a fraction.
 *
 * @returns epoch milliseconds; undefined for a text without an offset, which names no instant
 */
export function parseCreatedAt(text: string): number | undefined {
  const parts = forms.exec(text.trim())
  if (parts === null) return undefined
  const [, day, time, fraction = '', hours = '+00', minutes = '00'] = parts
  const at = Date.parse(`${day}T${time}${fraction.replace(',', '.')}${hours}:${minutes}`)
  return Number.isNaN(at) ? undefined : at
}

/** A database may round to the nearest second; most frameworks round down, also where they print fractions. */
const ROUNDED_UP_MS = 500
const ROUNDED_DOWN_MS = 1_000

/** When an upload can have been made, by the service's clock; undefined if its `created_at` cannot be read. */
export function creationSpan({ created_at }: Upload): TimeSpan | undefined {
  const createdAt = parseCreatedAt(created_at)
  if (createdAt === undefined) return undefined
  return { from: createdAt - ROUNDED_UP_MS, to: createdAt + ROUNDED_DOWN_MS }
}
