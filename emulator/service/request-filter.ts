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
  const path = filter.path === undefined ? undefined : pathTest(filter.path)
  return (request) =>
    (filter.account_id === undefined || request.accountId === filter.account_id) &&
    (method === undefined || request.method === method) &&
    (filter.status === undefined || request.status === filter.status) &&
    (path === undefined || path(request.endpoint))
}

/**
 * A test for paths; `*` in the pattern stands for any text, slashes included. No regular expression: one of many stars
 * tries so many ways that the emulator would never answer again.
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
