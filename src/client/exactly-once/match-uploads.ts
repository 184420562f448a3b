import { acceptedMediaType } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import { creationSpan, type TimeSpan } from './created-at.ts'
import type { Timing } from './uncertain-upload.ts'
import type { UploadIntent } from './upload-intent.ts'

/** What the service does with files of a type before it stores them, where it has shown it. */
export type Treatment = 'keeps' | 'changes' | undefined

/** What else is known when a list is compared with what was sent. */
export interface MatchContext {
  /** Of an intent, its own or one of the others. */
  timingOf(intent: UploadIntent): Timing
  /** Uploads that are known not to be this intent's, besides those it names itself. */
  isKnown(slug: string, intent: UploadIntent): boolean
  /** Further uploads of ours that may be in the list and that nothing has been settled of. */
  readonly others: readonly UploadIntent[]
  treatmentOf(mimeType: string): Treatment
}

export type Match =
  | { readonly type: 'stored'; readonly upload: Upload }
  /** None of the list can be it. */
  | { readonly type: 'missing' }
  | { readonly type: 'ambiguous'; readonly candidates: readonly Upload[] }

/**
 * Looks for uploads in the list: an upload is found where exactly one was made at its time, with its size and type, and
 * is accounted for by nothing else. Where none looks like it, a service that may change files before it stores them
 * could have stored it looking otherwise; then any upload of its time that nobody accounts for leaves it open.
 */
export function matchUploads(
  intents: readonly UploadIntent[],
  listed: readonly Upload[],
  circumstances: MatchContext,
): readonly Match[] {
  return intents.map((intent) => {
    const others = [...circumstances.others, ...intents.filter((other) => other !== intent)]
    return matchOne(intent, listed, { ...circumstances, others })
  })
}

function matchOne(intent: UploadIntent, listed: readonly Upload[], circumstances: MatchContext): Match {
  const { timingOf, others } = circumstances
  const timing = timingOf(intent)
  const known = new Set(intent.knownSlugs)
  const unknown = listed.filter(({ slug }) => !known.has(slug) && !circumstances.isKnown(slug, intent))
  const timely = unknown.filter((upload) => isTimely(upload, timing))
  const isClaimed = (upload: Upload) => others.some((other) => isEvidently(upload, other, timingOf(other)))
  const treatment = intent.size === null ? 'changes' : treatmentHere(intent, unknown, circumstances)
  const alike = timely.filter((upload) => looksLike(upload, intent))
  // Where files are changed, a look proves nothing of whose an upload is.
  const strange = timely.filter(
    (upload) => !looksLike(upload, intent) && (treatment === 'changes' || !isClaimed(upload)),
  )
  const candidates = treatment === 'changes' ? [...alike, ...strange] : alike
  const isRival = (other: UploadIntent) => treatment === 'changes' && other.mimeType === intent.mimeType
  const mayBeAnothers = (upload: Upload) =>
    others.some((other) => (isRival(other) || looksLike(upload, other)) && isTimely(upload, timingOf(other)))
  const [only] = alike
  const isDated = only !== undefined && isSurelySince(only, timing)
  if (isDated && candidates.length === 1 && !mayBeAnothers(only)) return { type: 'stored', upload: only }
  const open = [candidates, hourOff(intent, unknown, timing), treatment === 'keeps' ? [] : strange]
  const suspects = open.find((uploads) => uploads.length > 0)
  return suspects === undefined ? { type: 'missing' } : { type: 'ambiguous', candidates: suspects }
}

/** One that may have been there before is no evidence of what became of an upload, or of how files are kept. */
function isEvidently(upload: Upload, intent: UploadIntent, timing: Timing): boolean {
  return looksLike(upload, intent) && isTimely(upload, timing) && isSurelySince(upload, timing)
}

function looksLike({ size, mime_type }: Upload, intent: UploadIntent): boolean {
  return size === intent.size && essence(mime_type) === essence(intent.mimeType)
}

/** A type without its parameters. */
export function essence(mimeType: string): string {
  return mimeType.replace(/;.*$/s, '').trim().toLowerCase()
}

/** What a file was sent for may go on behind a proxy that has given up; a server ends such work within minutes. */
const LATEST_COMMIT_MS = 600_000

function isTimely(upload: Upload, { begun, ended }: Timing): boolean {
  const span = creationSpan(upload)
  return span === undefined || overlap(span, { from: begun.from, to: ended + LATEST_COMMIT_MS })
}

/** The last of the doubt that a Date of whole seconds leaves on a connection that is not too slow. */
const DOUBT_MS = 3_000

/** Where little is known of the service's clock, one that looks like it may have been there before. */
function isSurelySince(upload: Upload, { begun }: Timing): boolean {
  const span = creationSpan(upload)
  return span !== undefined && span.to + DOUBT_MS >= begun.to
}

const HOUR_MS = 3_600_000
const HOUR_OFF_GRACE_MS = 60_000

/** A service that keeps local times shows one wrong by an hour around the change of the clocks. */
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
 * What the service has shown before, or shows here: another of our files of that type that is listed as it was sent.
 * One of no accepted type shows nothing of the next: what is text/plain to us may be text/x-c to the service.
 */
function treatmentHere(intent: UploadIntent, unknown: readonly Upload[], circumstances: MatchContext): Treatment {
  if (acceptedMediaType(intent.mimeType) === undefined) return 'changes'
  const { timingOf, others, treatmentOf } = circumstances
  const shown = treatmentOf(intent.mimeType)
  if (shown !== undefined) return shown
  const sameType = others.filter(({ mimeType }) => mimeType === intent.mimeType)
  const asSent = sameType.some((other) => unknown.some((upload) => isEvidently(upload, other, timingOf(other))))
  return asSent ? 'keeps' : undefined
}

/** Whether uploads of the time in question may be on pages after one that ends with this upload, newest first. */
export function mayGoBackTo(last: Upload, timings: readonly Timing[]): boolean {
  const span = creationSpan(last)
  return span !== undefined && timings.some(({ begun }) => span.to >= begun.from)
}
