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
  const path = filter.path === undefined ? undefined : wildcardTest(filter.path)
  return (request) =>
    (filter.account_id === undefined || request.accountId === filter.account_id) &&
    (method === undefined || request.method === method) &&
    (filter.status === undefined || request.status === filter.status) &&
    (path === undefined || path(request.endpoint))
}

/**
 * Tests whether a text matches; `*` matches any text, slashes included. A regular expression with many stars could take
 * forever.
 */
export function wildcardTest(pattern: string): (text: string) => boolean {
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return (text) => text === pattern
  return (text) => {
    const mostAt = text.length - end.length
    if (!text.startsWith(start) || !text.endsWith(end)) return false
    let at = start.length
    for (const part of parts) {
      const found = text.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= mostAt
  }
}
