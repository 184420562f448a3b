import type { RequestFeed } from '../service/request-feed.ts'
import { type RequestFilter, requestFilter } from '../service/request-filter.ts'
import type { RequestRecord } from '../storage/record-store.ts'
import { isInstant, parseInstant } from '../values/instant.ts'
import { count, nonEmptyText, type PatchFields, parsePatch } from '../values/patch.ts'
import { usableInstants } from '../values/usable-instant.ts'
import { type EtiquetteReport, reportEtiquette } from './etiquette-report.ts'
import { presentRequest, type RequestInfo } from './request-info.ts'
import { type RequestStream, streamRequests } from './request-stream.ts'
import { type RequestExpectation, type Verification, verifyRequests } from './verification.ts'

export interface RequestListing {
  /** Oldest first. */
  readonly requests: readonly RequestInfo[]
  /** How many requests the log holds in all. */
  readonly kept: number
  /** How many it no longer holds. */
  readonly dropped: number
}

export interface RequestControl {
  /**
   * The requests that match a filter; all of them without one.
   * @throws TypeError saying what a part of the filter takes
   */
  list(filter?: RequestFilter): RequestListing
  /**
   * Forgets the requests that match a filter, all of them without one; no statistics count them any more.
   * @throws TypeError saying what a part of the filter takes
   */
  clear(filter?: RequestFilter): { readonly deleted: number }
  /**
   * The requests that match a filter, from now on as they are logged, until it is left, the signal aborts or the
   * emulator closes.
   * @throws TypeError saying what a part of the filter takes
   */
  stream(filter?: RequestFilter, options?: { readonly signal?: AbortSignal | undefined }): RequestStream
  /**
   * Holds the log against what is expected of it.
   * @throws VerificationError with the requests that come closest; TypeError saying what a field takes
   */
  verify(expectation: RequestExpectation): Verification
}

/** Which requests a report is about. */
export interface ReportScope {
  readonly account_id?: number | undefined
  /** ISO 8601: those that came then or later. */
  readonly since?: string | undefined
}

interface RequestControlContext {
  readonly feed: RequestFeed
  /** Resolves once what was logged is safe. */
  settled(): Promise<void>
}

const filterFields: PatchFields<RequestFilter> = {
  account_id: count,
  method: nonEmptyText,
  status: count,
  path: nonEmptyText,
}

const scopeFields: PatchFields<ReportScope> = {
  account_id: count,
  since: { accepts: usableInstants, accept: isInstant },
}

export function createRequestControl({ feed, settled }: RequestControlContext): RequestControl {
  const matching = (filter: RequestFilter) => requestFilter(parsePatch(filter, filterFields))
  return {
    list: (filter = {}) => ({
      requests: feed.all().filter(matching(filter)).map(presentRequest),
      kept: feed.all().length,
      dropped: feed.dropped(),
    }),
    clear: (filter = {}) => ({ deleted: feed.remove(matching(filter)) }),
    stream: (filter = {}, { signal } = {}) => streamRequests({ feed, matches: matching(filter), signal, settled }),
    verify: (expectation) => verifyRequests(feed.all(), expectation),
  }
}

/**
 * How clients behaved, of all accounts or one.
 * @throws TypeError saying what a part of the scope takes
 */
export function reportOf(feed: RequestFeed, scope: ReportScope): EtiquetteReport {
  const { account_id, since } = parsePatch(scope, scopeFields)
  const from = since === undefined ? Number.NEGATIVE_INFINITY : parseInstant(since)
  const isMeant = ({ accountId, breach, at }: RequestRecord) =>
    at >= from && (account_id === undefined || (accountId ?? breach?.accountId) === account_id)
  return reportEtiquette(feed.all().filter(isMeant), feed.dropped())
}
