import { type RequestFilter, requestFilter } from '../service/request-filter.ts'
import type { RequestLog, RequestRecord } from '../storage/record-store.ts'
import { count, nonEmptyText, type PatchFields, parsePatch } from './patch.ts'

/** A logged request. */
export interface RequestInfo {
  readonly method: string
  /** The path without its query. */
  readonly endpoint: string
  /** 499 where the client went away unanswered. */
  readonly status: number
  readonly client_ip: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** Units charged. */
  readonly cost: number
  /** Null where no key was resolved. */
  readonly account_id: number | null
  readonly key_in: 'header' | 'query' | 'none'
}

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
}

const filterFields: PatchFields<RequestFilter> = {
  account_id: count,
  method: nonEmptyText,
  status: count,
  path: nonEmptyText,
}

export function createRequestControl(log: RequestLog): RequestControl {
  const matching = (filter: RequestFilter) => requestFilter(parsePatch(filter, filterFields))
  return {
    list: (filter = {}) => ({
      requests: log.all().filter(matching(filter)).map(presentRequest),
      kept: log.all().length,
      dropped: log.dropped(),
    }),
    clear: (filter = {}) => ({ deleted: log.remove(matching(filter)) }),
  }
}

function presentRequest(request: RequestRecord): RequestInfo {
  return {
    method: request.method,
    endpoint: request.endpoint,
    status: request.status,
    client_ip: request.clientIp,
    at: new Date(request.at).toISOString(),
    cost: request.cost,
    account_id: request.accountId,
    key_in: request.keyIn,
  }
}
