import { acceptedMediaType, essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import { creationSpan, type TimeSpan } from './created-at.ts'
import type { UploadIntent } from './upload-intent.ts'

/** Whether the service changes files of a type before it stores them; undefined until it has shown that. */
export type Treatment = 'keeps' | 'changes' | undefined

/** An upload that the list may show, by what is known now. */
export interface SoughtUpload {
  readonly intent: UploadIntent
  /** The service's time from its beginning to its end. */
  readonly made: TimeSpan
  /** Whether an entry is known to be another file. The intent's own `knownSlugs` are other files too. */
  isKnown(slug: string): boolean
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
  { intent, made, isKnown }: SoughtUpload,
  listed: readonly Upload[],
  treatment: Treatment,
): readonly Upload[] {
  const known = new Set(intent.knownSlugs)
  const unknown = listed.filter(({ slug }) => !known.has(slug) && !isKnown(slug)).toReversed()
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

const HOUR_MS = 3_600_000
const HOUR_OFF_GRACE_MS = 60_000

/** A service that stores local times shows an entry an hour off around a daylight saving change. */
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
