import { acceptedMediaType, essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import { creationSpan, type TimeSpan } from './created-at.ts'
import type { Timing } from './uncertain-upload.ts'
import type { UploadIntent } from './upload-intent.ts'

/** Whether the service changes files of a type before it stores them; undefined until it has shown that. */
export type Treatment = 'keeps' | 'changes' | undefined

/** An upload that the list may show, by what is known now. */
export interface SoughtUpload {
  readonly intent: UploadIntent
  readonly timing: Timing
  /** Whether an entry is known to be another file. The intent's own `knownSlugs` are other files too. */
  isKnown(slug: string): boolean
}

/** What is known besides the list and the uploads in question. */
export interface MatchContext {
  /** Further uploads of this client that the list may show. */
  readonly others: readonly SoughtUpload[]
  treatmentOf(mimeType: string): Treatment
}

export type Match =
  | { readonly type: 'stored'; readonly upload: Upload }
  /** The list does not have it. */
  | { readonly type: 'missing' }
  | { readonly type: 'ambiguous'; readonly candidates: readonly Upload[] }

/**
 * Looks for uploads in the list. An upload is found if exactly one entry was made at its time, has its size and type, and
 * is not explained by another upload. If no entry looks like it, a service that may change files could have stored it with
 * another size or type; then every unexplained entry of its time leaves the outcome open.
 */
export function matchUploads(
  sought: readonly SoughtUpload[],
  listed: readonly Upload[],
  context: MatchContext,
): readonly Match[] {
  return sought.map((one) => {
    const others = [...context.others, ...sought.filter((other) => other !== one)]
    return matchOne(one, listed, { ...context, others })
  })
}

function matchOne(sought: SoughtUpload, listed: readonly Upload[], context: MatchContext): Match {
  const { intent, timing } = sought
  const { others } = context
  const known = new Set(intent.knownSlugs)
  const unknown = listed.filter(({ slug }) => !known.has(slug) && !sought.isKnown(slug))
  // Oldest first. Of several with the same bytes the first is taken: an upload that began later cannot have made it.
  const timely = unknown.filter((upload) => isTimely(upload, timing)).toReversed()
  const treatment = intent.size === null ? 'changes' : treatmentHere(intent, unknown, context)
  const alike = timely.filter((upload) => looksLike(upload, intent))
  // If the service changes files, size and type do not show which upload an entry belongs to.
  const strange = timely.filter(
    (upload) =>
      !looksLike(upload, intent) && (treatment === 'changes' || !others.some((other) => isEvidently(upload, other))),
  )
  const candidates = treatment === 'changes' ? [...alike, ...strange] : alike
  const isRival = (other: UploadIntent) => treatment === 'changes' && other.mimeType === intent.mimeType
  const mayBeAnothers = (upload: Upload) =>
    others.some((other) => (isRival(other.intent) || looksLike(upload, other.intent)) && isTimely(upload, other.timing))
  const [only] = alike
  const isDated = only !== undefined && isSurelySince(only, timing)
  if (isDated && candidates.length === 1 && !mayBeAnothers(only)) return { type: 'stored', upload: only }
  // All of them: only an upload that is none of these is missing.
  const likely = [...new Set([...candidates, ...hourOff(intent, unknown, timing)])]
  const suspects = likely.length > 0 || treatment === 'keeps' ? likely : strange
  return suspects.length === 0 ? { type: 'missing' } : { type: 'ambiguous', candidates: suspects }
}

/** Whether an entry looks like an upload and cannot be older than it. */
function isEvidently(upload: Upload, { intent, timing }: SoughtUpload): boolean {
  return looksLike(upload, intent) && isTimely(upload, timing) && isSurelySince(upload, timing)
}

export function looksLike({ size, mime_type }: Upload, intent: UploadIntent): boolean {
  return size === intent.size && essence(mime_type) === essence(intent.mimeType)
}

/** A server may still store an upload after a proxy between has given up, but only for minutes. */
const LATEST_COMMIT_MS = 600_000

function isTimely(upload: Upload, { begun, ended }: Timing): boolean {
  const span = creationSpan(upload)
  return span === undefined || overlap(span, { from: begun.from, to: ended + LATEST_COMMIT_MS })
}

/** A Date of whole seconds leaves this much doubt about the service's clock, on a connection that is not too slow. */
const DOUBT_MS = 3_000

/** Whether an entry cannot be older than the upload, by what is known of the service's clock. */
function isSurelySince(upload: Upload, { begun }: Timing): boolean {
  const span = creationSpan(upload)
  return span !== undefined && span.to + DOUBT_MS >= begun.to
}

const HOUR_MS = 3_600_000
const HOUR_OFF_GRACE_MS = 60_000

/** A service that stores local times shows an entry an hour off around a daylight saving change. */
function hourOff(intent: UploadIntent, unknown: readonly Upload[], { begun, ended }: Timing): readonly Upload[] {
  const sending = { from: begun.from, to: (Number.isFinite(ended) ? ended : begun.to) + HOUR_OFF_GRACE_MS }
  return unknown.filter((upload) => {
    const span = creationSpan(upload)
    if (span === undefined || !looksLike(upload, intent)) return false
    return [-HOUR_MS, HOUR_MS].some((ms) => overlap({ from: span.from + ms, to: span.to + ms }, sending))
  })
}

function overlap(one: TimeSpan, other: TimeSpan): boolean {
  return one.from <= other.to && other.from <= one.to
}

/**
 * What the service has shown before. Else this list shows that it keeps a type, if it has another of our files of that
 * type as it was sent. The service may name a type that it does not accept differently (text/plain, text/x-c), so that
 * such a type shows nothing.
 */
function treatmentHere(
  { mimeType }: UploadIntent,
  unknown: readonly Upload[],
  { others, treatmentOf }: MatchContext,
): Treatment {
  if (acceptedMediaType(mimeType) === undefined) return 'changes'
  const shown = treatmentOf(mimeType)
  if (shown !== undefined) return shown
  const sameType = others.filter(({ intent }) => intent.mimeType === mimeType)
  return sameType.some((other) => unknown.some((upload) => isEvidently(upload, other))) ? 'keeps' : undefined
}

/** Whether pages after the one that ends with this upload may hold uploads of these times; the list is newest first. */
export function mayGoBackTo(last: Upload, timings: readonly Timing[]): boolean {
  const span = creationSpan(last)
  return span !== undefined && timings.some(({ begun }) => span.to >= begun.from)
}
