import type { KindsOf } from '../../src/checks/values.ts'
import type { ExchangeLog } from '../service/exchanges.ts'
import { MissingRecordError } from '../service/refusal.ts'
import { type LoggedRequest, loggedRequest, type RequestRecord } from '../storage/record-types.ts'
import type { RequestLog } from '../storage/request-log.ts'
import { readFields } from '../values/reading.ts'
import { count, instant } from '../values/value-type.ts'
import { type EtiquetteReport, reportEtiquette } from './etiquette-report.ts'
import { type Har, harOf } from './har.ts'
import { defineLogFunctions } from './log-functions.ts'
import { type RequestDetail, requestDetail } from './request-detail.ts'
import { pagePart, queryPart, type RequestPage, type RequestQuery } from './request-query.ts'
import { type RequestStream, streamRequests } from './request-stream.ts'
import { type OrderedExpectation, type RequestExpectation, type Verification, verifyRequests } from './verification.ts'

export interface RequestListing {
  /** Oldest first. */
  readonly requests: readonly LoggedRequest[]
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
  /** Of each finding, the latest so many requests are listed. Default: 100. */
  readonly limit?: number | undefined
}

interface RequestControlContext {
  readonly log: RequestLog
  readonly exchanges: Pick<ExchangeLog, 'of'>
  /** Resolves once all logged requests are durable. */
  flushed(): Promise<void>
}

const scopeFields = { account_id: count, since: instant, limit: count } satisfies KindsOf<ReportScope>

export function createRequestControl({ log, exchanges, flushed }: RequestControlContext) {
  defineLogFunctions(log)
  return {
    /**
     * The requests that match a filter; default: all.
     * @throws TypeError saying what a field of the filter takes
     */
    list(page: RequestPage = {}): RequestListing {
      const { kept, dropped } = log.state()
      return { requests: log.select(pagePart(page, log)).map(loggedRequest.write), kept, dropped }
    },
    /**
     * One request whole: of the newest 500 also what was sent both ways.
     * @throws MissingRecordError if the log has none with this number
     */
    get(number: number): RequestDetail {
      const request = log.get(number)
      if (request === undefined) throw new MissingRecordError('request', number)
      return requestDetail(request, log, exchanges.of(number))
    },
    /**
     * The requests as an HTTP archive (HAR 1.2), which browsers' own tools open.
     * @throws TypeError saying what a field takes
     */
    har: (page: RequestPage = {}): Har => harOf(log.select(pagePart(page, log)), exchanges),
    /**
     * Deletes the requests that match a filter (default: all); statistics no longer count them.
     * @throws TypeError saying what a field of the filter takes
     */
    clear: (filter: RequestQuery = {}): { readonly deleted: number } => ({
      deleted: log.remove(queryPart(filter, log)),
    }),
    /**
     * Follows the requests that match a filter, from now on, until the reader returns, the signal aborts or the emulator
     * closes.
     * @throws TypeError saying what a field of the filter takes
     */
    stream(filter: RequestQuery = {}, { signal }: { readonly signal?: AbortSignal | undefined } = {}): RequestStream {
      const part = queryPart(filter, log)
      const isAsked = ({ number }: RequestRecord) =>
        part.where === undefined || log.select({ ...part, after: number - 1, before: number + 1 }).length > 0
      return streamRequests({ feed: log, matches: isAsked, signal, flushed })
    },
    /**
     * Checks the log against an expectation: how many requests of a kind it has, or several kinds in order.
     * @throws VerificationError with the closest requests; TypeError saying what a field takes
     */
    verify: (expectation: RequestExpectation | OrderedExpectation): Verification => verifyRequests(log, expectation),
  }
}

export type RequestControl = ReturnType<typeof createRequestControl>

/**
 * How well clients behaved, of one account or all.
 * @throws TypeError saying what a field of the scope takes
 */
export function reportOf(log: RequestLog, scope: ReportScope): EtiquetteReport {
  const { account_id = null, since = Number.MIN_SAFE_INTEGER, limit = 100 } = readFields(scope, scopeFields)
  const ofAccount = account_id === null ? '' : ' AND accountId = ?'
  const values = account_id === null ? [since] : [since, account_id]
  return reportEtiquette(log, { where: `at >= ?${ofAccount}`, values }, limit)
}
