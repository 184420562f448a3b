import type { RequestRecord } from '../storage/record-store.ts'
import { presentRequest, type RequestInfo } from './request-info.ts'

/** How clients behaved, as far as the log reaches back. */
export interface EtiquetteReport {
  /** Whether there is nothing to find fault with. */
  readonly clean: boolean
  /** How many requests were looked at. */
  readonly requests: number
  /** How many more the log no longer holds, of any account. */
  readonly dropped: number
  readonly findings: readonly EtiquetteFinding[]
}

export interface EtiquetteFinding {
  readonly kind: EtiquetteKind
  /** How many requests are concerned. */
  readonly count: number
  /** What they were charged. */
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
  /** When it would have been in order, ISO 8601; present where it came too early. */
  readonly due_at?: string
  /** When the same bytes had been stored before, ISO 8601; present where they were stored again. */
  readonly stored_at?: string
}

const advice: Readonly<Record<EtiquetteKind, string>> = {
  before_retry_after: 'Wait as long as Retry-After says after a 429 or a 503, whatever is to be sent next',
  without_remaining: 'Send nothing that costs more than X-RateLimit-Remaining until X-RateLimit-Reset has passed',
  key_in_query: 'Send the key in the X-Api-Key header: URLs end up in logs, histories and referrers',
  duplicate_upload: 'Before a POST is repeated, look in the list for what the first one may have stored',
  wasted_units: 'Check before the call what would be refused: these answers cost units and did nothing',
}

/** How soon the same bytes again are taken for a repetition rather than for a wish. */
const repetitionMs = 600_000

const mostListed = 100

interface Found {
  readonly request: RequestRecord
  readonly due_at?: string
  readonly stored_at?: string
}

/** @param requests oldest first */
export function reportEtiquette(requests: readonly RequestRecord[], dropped: number): EtiquetteReport {
  const found: Readonly<Record<EtiquetteKind, readonly Found[]>> = {
    before_retry_after: breaches(requests, 'before_retry_after'),
    without_remaining: breaches(requests, 'without_remaining'),
    key_in_query: requests.filter(({ keyIn }) => keyIn === 'query').map((request) => ({ request })),
    duplicate_upload: duplicates(requests),
    wasted_units: requests.filter(isWaste).map((request) => ({ request })),
  }
  const findings = (Object.keys(advice) as EtiquetteKind[])
    .filter((kind) => found[kind].length > 0)
    .map((kind) => finding(kind, found[kind]))
  return { clean: findings.length === 0, requests: requests.length, dropped, findings }
}

function finding(kind: EtiquetteKind, found: readonly Found[]): EtiquetteFinding {
  return {
    kind,
    count: found.length,
    units: found.reduce((sum, { request }) => sum + request.cost, 0),
    advice: advice[kind],
    requests: found.slice(-mostListed).map(({ request, ...more }) => ({ ...presentRequest(request), ...more })),
  }
}

function breaches(requests: readonly RequestRecord[], kind: EtiquetteKind): readonly Found[] {
  return requests.flatMap((request) =>
    request.breach?.kind === kind ? [{ request, due_at: new Date(request.breach.until).toISOString() }] : [],
  )
}

function duplicates(requests: readonly RequestRecord[]): readonly Found[] {
  const storedAt = new Map<string, number>()
  return requests.flatMap((request) => {
    if (request.content === undefined) return []
    const content = `${request.accountId} ${request.content}`
    const before = storedAt.get(content)
    storedAt.set(content, request.at)
    const isRepetition = before !== undefined && request.at - before <= repetitionMs
    return isRepetition ? [{ request, stored_at: new Date(before).toISOString() }] : []
  })
}

/** What a fault refused is no fault of the client's, nor is a failure of the service. */
function isWaste({ status, cost, fault }: RequestRecord): boolean {
  return status >= 400 && status < 500 && cost > 0 && fault === undefined
}
