import { clientClosedRequest, type RequestInfo, type RequestRecord, requestInfo } from '../storage/record-types.ts'

/** How well clients behaved, as far back as the log goes. */
export interface EtiquetteReport {
  /** Whether there are no findings. */
  readonly clean: boolean
  /** Requests examined. */
  readonly requests: number
  /** Requests the log no longer holds, of all accounts. */
  readonly dropped: number
  readonly findings: readonly EtiquetteFinding[]
}

export interface EtiquetteFinding {
  readonly kind: EtiquetteKind
  /** The number of requests concerned. */
  readonly count: number
  /** Units charged for them. */
  readonly units: number
  /** What to do about it, in one line. */
  readonly advice: string
  /** Oldest first, the latest 100 at most. */
  readonly requests: readonly FoundRequest[]
}

export type EtiquetteKind =
  | 'before_retry_after'
  | 'without_remaining'
  | 'key_in_query'
  | 'duplicate_upload'
  | 'wasted_units'

export interface FoundRequest extends RequestInfo {
  /** ISO 8601: the earliest correct time, of a request that came too early. */
  readonly due_at?: string
  /** ISO 8601: when the same bytes were stored before, of an upload that stored them again. */
  readonly stored_at?: string
}

const advice: Readonly<Record<EtiquetteKind, string>> = {
  before_retry_after: 'After a 429 or a 503, send nothing until Retry-After has passed',
  without_remaining: 'Send nothing that costs more than X-RateLimit-Remaining until X-RateLimit-Reset has passed',
  key_in_query: 'Send the key in the X-Api-Key header: URLs end up in logs, histories and referrers',
  duplicate_upload: 'Before repeating a POST, look in the list for the upload that the first one may have stored',
  wasted_units: 'Check a call before sending it: these refused requests cost units',
}

export const etiquetteKinds = Object.keys(advice) as readonly EtiquetteKind[]

/** The same bytes within this time count as a repeated request, later ones as a new upload. */
const repetitionMs = 600_000

/** The requests of one finding. @param requests oldest first */
export function recordsFound(kind: EtiquetteKind, requests: readonly RequestRecord[]): ReadonlySet<RequestRecord> {
  return new Set(findIn(requests)[kind].map(({ request }) => request))
}

interface FoundBreach {
  readonly request: RequestRecord
  readonly due_at?: string
  readonly stored_at?: string
}

/** What the report says of one request. @param requests all of the log, oldest first */
export function etiquetteOf(request: RequestRecord, requests: readonly RequestRecord[]) {
  const { file, stored } = request
  // The same bytes before it decide whether it is a repetition; of all other requests nothing matters.
  const related =
    stored === true && file !== undefined ? requests.filter((other) => other.file?.sha256 === file.sha256) : [request]
  const found = findIn(related)
  return etiquetteKinds.flatMap((kind) =>
    found[kind]
      .filter((finding) => finding.request === request)
      .map(({ request: _, ...instants }) => ({ kind, advice: advice[kind], ...instants })),
  )
}

function findIn(requests: readonly RequestRecord[]): Readonly<Record<EtiquetteKind, readonly FoundBreach[]>> {
  return {
    before_retry_after: breaches(requests, 'before_retry_after'),
    without_remaining: breaches(requests, 'without_remaining'),
    key_in_query: requests.filter(({ keyIn }) => keyIn === 'query').map((request) => ({ request })),
    duplicate_upload: duplicates(requests),
    wasted_units: requests.filter(isWaste).map((request) => ({ request })),
  }
}

/** @param requests oldest first @param limit how many of them each finding lists */
export function reportEtiquette(requests: readonly RequestRecord[], dropped: number, limit = 100): EtiquetteReport {
  const found = findIn(requests)
  const findings = etiquetteKinds
    .filter((kind) => found[kind].length > 0)
    .map((kind) => finding(kind, found[kind], limit))
  return { clean: findings.length === 0, requests: requests.length, dropped, findings }
}

function finding(kind: EtiquetteKind, found: readonly FoundBreach[], limit: number): EtiquetteFinding {
  return {
    kind,
    count: found.length,
    units: found.reduce((sum, { request }) => sum + request.cost, 0),
    advice: advice[kind],
    requests: found
      .slice(Math.max(found.length - limit, 0))
      .map(({ request, ...more }) => ({ ...requestInfo.write(request), ...more })),
  }
}

function breaches(requests: readonly RequestRecord[], kind: EtiquetteKind): readonly FoundBreach[] {
  return requests.flatMap((request) =>
    request.breach?.kind === kind ? [{ request, due_at: new Date(request.breach.until).toISOString() }] : [],
  )
}

/** A client that knows of its upload may well store the same bytes again; one that does not should have looked. */
function duplicates(requests: readonly RequestRecord[]): readonly FoundBreach[] {
  const stored = new Map<string, RequestRecord>()
  return requests.flatMap((request) => {
    if (request.stored !== true || request.file === undefined) return []
    const content = `${request.accountId} ${request.file.sha256}`
    const before = stored.get(content)
    stored.set(content, request)
    const isRepetition = before !== undefined && !hasArrived(before) && request.at - before.at <= repetitionMs
    return isRepetition ? [{ request, stored_at: new Date(before.at).toISOString() }] : []
  })
}

/** Whether the answer reached its client whole, as far as the emulator knows. */
function hasArrived({ status, fault }: RequestRecord): boolean {
  return status !== clientClosedRequest && (fault === undefined || fault === 'delay')
}

/** Refusals by an injected fault and failures of the service are not the client's mistake. */
function isWaste({ status, cost, fault, stored }: RequestRecord): boolean {
  return status >= 400 && status < 500 && cost > 0 && fault === undefined && stored !== true
}
