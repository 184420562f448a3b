import { remembered } from '../values/remembered.ts'

/** By lower-case name. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Stands in the log for a value that it must not have. */
export const hiddenValue = '(hidden)'

/** Names of headers that carry secrets, and those under which people send a key by mistake. */
const secretNames = /key|auth|cookie|token|secret|passw/i
/** A key in an address that a header repeats, such as Referer. */
const secretValues = /\bapi[-_]?key=/i

/** Whether the log has only the name of a header. */
export const isSecretHeader = remembered((name) => secretNames.test(name))

/** So that one client cannot push other requests out of the log; the ellipsis marks a cut value. */
const [maxValueLength, maxLength] = [1_024, 16_384]

/** A shorter key may be part of any text. */
const minKeyLength = 8

/**
 * The headers of a request for the log: a line `name: value` for each, names in lower case. It has neither secrets, nor
 * the boundary of a form, which clients invent for each request.
 */
export function loggedHeaders(headers: Headers, key: string | undefined): string {
  if (key === latest.key && areEqual(headers, latest.pairs)) return latest.lines
  const pairs: unknown[] = []
  for (const name in headers) pairs.push(name, headers[name])
  latest = { key, pairs, lines: writtenHeaders(headers, key) }
  return latest.lines
}

/** Most requests of a client have the headers and the key of the one before. */
let latest = { key: undefined as string | undefined, pairs: [] as readonly unknown[], lines: '' }

function areEqual(headers: Headers, pairs: readonly unknown[]): boolean {
  let at = 0
  for (const name in headers) {
    if (pairs[at] !== name || pairs[at + 1] !== headers[name]) return false
    at += 2
  }
  return at === pairs.length
}

function writtenHeaders(headers: Headers, key: string | undefined): string {
  let lines = ''
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    const line = `${name}: ${loggedValue(name, typeof value === 'string' ? value : value.join(', '), key)}\n`
    if (lines.length + line.length > maxLength) break
    lines += line
  }
  return lines
}

function loggedValue(name: string, value: string, key: string | undefined): string {
  if (isSecretHeader(name) || secretValues.test(value)) return hiddenValue
  // The key in a query may also be in an address that a header repeats.
  if (key !== undefined && key.length >= minKeyLength && value.includes(key)) return hiddenValue
  if (name === 'content-type') return value.slice(0, maxValueLength).replace(/(boundary=).*/i, '$1…')
  return value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value
}

/** Reads what {@link loggedHeaders} wrote. */
export function readLoggedHeaders(lines: string): ReadonlyMap<string, string> {
  const pairs = lines.split('\n').map((line): [string, string] => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
  return new Map(pairs)
}
