import type { RequestRecord } from '../storage/records.ts'

/** Which requests of the log match; an omitted field matches all. */
export interface RequestFilter {
  /** `none`: requests whose key has no account. */
  readonly account_id?: number | 'none' | undefined
  readonly method?: string | undefined
  /** A status, or a class such as `4xx`. */
  readonly status?: number | string | undefined
  /** `*` matches any text, slashes included. */
  readonly path?: string | undefined
  /** Whether the service, rather than a fault, refused it. */
  readonly refused?: boolean | undefined
  /** The number of the fault that struck it; `any`: some fault did. */
  readonly fault?: number | 'any' | undefined
  /** A part, in any case, of its method, path, address, headers, file name or refusal. */
  readonly search?: string | undefined
}

type RequestTest = (request: RequestRecord) => boolean

/** Tests whether a request matches every part of a filter. */
export function requestFilter({ account_id, refused, fault, ...filter }: RequestFilter): RequestTest {
  const tests: RequestTest[] = []
  if (account_id !== undefined) {
    const id = account_id === 'none' ? null : account_id
    tests.push((request) => request.accountId === id)
  }
  if (filter.method !== undefined) {
    const method = filter.method.toUpperCase()
    tests.push((request) => request.method === method)
  }
  if (filter.status !== undefined) tests.push(statusTest(filter.status))
  if (filter.path !== undefined) {
    const matches = wildcardTest(filter.path)
    tests.push((request) => matches(request.endpoint))
  }
  if (refused !== undefined) tests.push((request) => isRefused(request) === refused)
  if (fault === 'any') tests.push((request) => request.fault !== undefined)
  else if (fault !== undefined) tests.push((request) => request.faultId === fault)
  if (filter.search !== undefined) tests.push(textTest(filter.search.toLowerCase()))
  return (request) => tests.every((test) => test(request))
}

function statusTest(status: number | string): RequestTest {
  const exact = Number(status)
  if (!Number.isNaN(exact)) return (request) => request.status === exact
  const hundreds = Number(`${status}`.slice(0, 1))
  return (request) => Math.floor(request.status / 100) === hundreds
}

function isRefused({ status, fault }: RequestRecord): boolean {
  return status >= 400 && fault === undefined
}

function textTest(part: string): RequestTest {
  return ({ method, endpoint, clientIp, file, fault = '', refusal, headers }) =>
    `${method} ${endpoint} ${clientIp} ${file?.name ?? ''} ${fault} ${refusal?.kind ?? ''} ${refusal?.words ?? ''}\n${headers}`
      .toLowerCase()
      .includes(part)
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
