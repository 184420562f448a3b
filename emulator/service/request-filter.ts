import type { RequestRecord } from '../storage/records.ts'

/** Which requests of the log match; an omitted field matches all. */
export interface RequestFilter {
  readonly account_id?: number | undefined
  readonly method?: string | undefined
  readonly status?: number | undefined
  /** `*` matches any text, slashes included. */
  readonly path?: string | undefined
}

/** Tests whether a request matches every part of a filter. */
export function requestFilter(filter: RequestFilter): (request: RequestRecord) => boolean {
  const method = filter.method?.toUpperCase()
  const path = filter.path === undefined ? undefined : pathTest(filter.path)
  return (request) =>
    (filter.account_id === undefined || request.accountId === filter.account_id) &&
    (method === undefined || request.method === method) &&
    (filter.status === undefined || request.status === filter.status) &&
    (path === undefined || path(request.endpoint))
}

/**
 * Tests whether a path matches; `*` matches any text, slashes included. A regular expression with many stars could take
 * forever.
 */
export function pathTest(pattern: string): (path: string) => boolean {
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return (path) => path === pattern
  return (path) => {
    const mostAt = path.length - end.length
    if (!path.startsWith(start) || !path.endsWith(end)) return false
    let at = start.length
    for (const part of parts) {
      const found = path.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= mostAt
  }
}
