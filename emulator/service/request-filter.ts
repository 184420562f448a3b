import type { RequestRecord } from '../storage/record-types.ts'

/** Which requests of the log match; an omitted field matches all. */
export interface RequestFilter {
  /** `none`: requests whose key has no account. */
  readonly account_id?: number | 'none' | undefined
  readonly method?: string | undefined
  /** A status, or a class such as `4xx`. */
  readonly status?: number | string | undefined
  /** `*` matches any text, slashes included. */
  readonly path?: string | undefined
  /** The number of the fault that struck it; `any`: some fault did. */
  readonly fault?: number | 'any' | undefined
  /** A part, in any case, of its method, path, address, headers, file name or refusal. */
  readonly search?: string | undefined
}

/** What a request to the service is, whether or not it was logged. */
export type RequestSubject = Pick<RequestRecord, 'method' | 'endpoint' | 'accountId'>

type Test<Request> = (request: Request) => boolean

/** Tests whether an account, a method and a path are those of a filter. */
export function subjectTest({
  account_id,
  method,
  path,
}: Pick<RequestFilter, 'account_id' | 'method' | 'path'>): Test<RequestSubject> {
  const id = account_id === 'none' ? null : account_id
  const name = method?.toUpperCase()
  const isPath = path === undefined ? undefined : wildcardTest(path)
  return (subject) =>
    (id === undefined || subject.accountId === id) &&
    (name === undefined || subject.method === name) &&
    (isPath === undefined || isPath(subject.endpoint))
}

/** The lowest and the highest status that a filter means. */
export function statusRange(status: number | string): readonly [from: number, to: number] {
  const exact = Number(status)
  if (!Number.isNaN(exact)) return [exact, exact]
  const hundred = Number(`${status}`.slice(0, 1)) * 100
  return [hundred, hundred + 99]
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
