import type { RequestRecord } from '../storage/record-store.ts'

/** Which requests of the log are meant; what is not named matches all. */
export interface RequestFilter {
  readonly account_id?: number | undefined
  readonly method?: string | undefined
  readonly status?: number | undefined
  /** `*` stands for any text, slashes included. */
  readonly path?: string | undefined
}

/** A test for requests that match every part of a filter. */
export function requestFilter(filter: RequestFilter): (request: RequestRecord) => boolean {
  const method = filter.method?.toUpperCase()
  const path = filter.path === undefined ? undefined : wildcard(filter.path)
  return (request) =>
    (filter.account_id === undefined || request.accountId === filter.account_id) &&
    (method === undefined || request.method === method) &&
    (filter.status === undefined || request.status === filter.status) &&
    (path === undefined || path.test(request.endpoint))
}

function wildcard(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}
