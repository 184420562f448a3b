import type { KindsOf } from '../../src/checks/values.ts'
import type { RequestFeed } from '../service/request-feed.ts'
import { type RequestFilter, requestFilter } from '../service/request-filter.ts'
import type { RequestRecord } from '../storage/records.ts'
import { type RequestInfo, requestInfo } from '../storage/records.ts'
import { readFields } from '../values/codec.ts'
import { count, instant } from '../values/value-type.ts'
import { type EtiquetteReport, reportEtiquette } from './etiquette-report.ts'
import { filterFields } from './expectation.ts'
import { type RequestStream, streamRequests } from './request-stream.ts'
import { type OrderedExpectation, type RequestExpectation, type Verification, verifyRequests } from './verification.ts'

export interface RequestListing {
  /** Oldest first. */
  readonly requests: readonly RequestInfo[]
  /** All requests in the log. */
  readonly kept: number
  /** Requests dropped from the log. */
  readonly dropped: number
}

/** The requests of a report. Default: all. */
export interface ReportScope {
  readonly account_id?: number | undefined
  /** ISO 8601: only requests at or after this time. */
  readonly since?: string | undefined
}

interface RequestControlContext {
  readonly feed: RequestFeed
  /** Resolves once all logged requests are durable. */
  flushed(): Promise<void>
}

const scopeFields = { account_id: count, since: instant } satisfies KindsOf<ReportScope>

export function createRequestControl({ feed, flushed }: RequestControlContext) {
  const matching = (filter: RequestFilter) => requestFilter(readFields(filter, filterFields))
  return {
    /**
     * The requests that match a filter; default: all.
     * @throws TypeError saying what a field of the filter takes
     */
    list: (filter: RequestFilter = {}): RequestListing => ({
      requests: feed.all().filter(matching(filter)).map(requestInfo.write),
      kept: feed.all().length,
      dropped: feed.dropped(),
    }),
    /**
     * Deletes the requests that match a filter (default: all); statistics no longer count them.
     * @throws TypeError saying what a field of the filter takes
     */
    clear: (filter: RequestFilter = {}): { readonly deleted: number } => ({ deleted: feed.remove(matching(filter)) }),
    /**
     * Follows the requests that match a filter, from now on, until the reader returns, the signal aborts or the emulator
     * closes.
     * @throws TypeError saying what a field of the filter takes
     */
    stream: (
      filter: RequestFilter = {},
      { signal }: { readonly signal?: AbortSignal | undefined } = {},
    ): RequestStream => streamRequests({ feed, matches: matching(filter), signal, flushed }),
    /**
     * Checks the log against an expectation: how many requests of a kind it has, or several kinds in order.
     * @throws VerificationError with the closest requests; TypeError saying what a field takes
     */
    verify: (expectation: RequestExpectation | OrderedExpectation): Verification =>
      verifyRequests(feed.all(), expectation),
  }
}

export type RequestControl = ReturnType<typeof createRequestControl>

/**
 * How well clients behaved, of one account or all.
 * @throws TypeError saying what a field of the scope takes
 */
export function reportOf(feed: RequestFeed, scope: ReportScope): EtiquetteReport {
  const { account_id, since = Number.NEGATIVE_INFINITY } = readFields(scope, scopeFields)
  const isInScope = ({ accountId, breach, at }: RequestRecord) =>
    at >= since && (account_id === undefined || (accountId ?? breach?.accountId) === account_id)
  return reportEtiquette(feed.all().filter(isInScope), feed.dropped())
}
