import { keyHeader } from '../../src/protocol/endpoints.ts'

/** By lower-case name. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Stands in the log for a value that it must not have. */
export const hiddenValue = '(hidden)'

/** Headers that carry secrets, in lower case: the log has their names only. */
export const secretHeaders: ReadonlySet<string> = new Set([
  keyHeader.toLowerCase(),
  'authorization',
  'cookie',
  'proxy-authorization',
])

/** So that one client cannot push other requests out of the log; the ellipsis marks a cut value. */
const [maxValueLength, maxLength] = [1_024, 16_384]

/** A shorter key may be part of any text. */
const minKeyLength = 8

/**
 * The headers of a request for the log: a line `name: value` for each, names in lower case. It has neither secrets, nor
 * the boundary of a form, which clients invent for each request.
 */
export function loggedHeaders(headers: Headers, key: string | undefined): string {
  let lines = ''
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    const line = `${name}: ${loggedValue(name, typeof value === 'string' ? value : value.join(', '), key)}\n`
    if (lines.length + line.length > maxLength) break
    lines += line
  }
  return shared(lines)
}

function loggedValue(name: string, value: string, key: string | undefined): string {
  if (secretHeaders.has(name)) return hiddenValue
  // The key in a query may also be in an address that a header repeats.
  if (key !== undefined && key.length >= minKeyLength && value.includes(key)) return hiddenValue
  if (name === 'content-type') return value.slice(0, maxValueLength).replace(/(boundary=).*/i, '$1…')
  return value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value
}

/** Most requests of a client have equal headers; their log entries share one text. */
const recent = new Map<string, string>()
const mostRecent = 256

function shared(text: string): string {
  const known = recent.get(text)
  if (known !== undefined) return known
  if (recent.size >= mostRecent) recent.clear()
  recent.set(text, text)
  return text
}

/** Reads what {@link loggedHeaders} wrote. */
export function readLoggedHeaders(lines: string): ReadonlyMap<string, string> {
  const pairs = lines.split('\n').map((line): [string, string] => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
  return new Map(pairs)
}
