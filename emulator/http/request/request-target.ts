import { TextDecoder } from 'node:util'
import { decodedText, PhpArray, parseVariables, trimmed } from './php-variables.ts'

/** A request's URL, parsed as the service's framework parses it. */
export interface RequestTarget {
  /** As sent, without query and fragment. */
  readonly path: string
  /** The percent-decoded path; undefined if it is not valid UTF-8. */
  readonly decodedPath: string | undefined
  /** The decoded path without trailing slashes, for matching routes; an encoded slash is kept. */
  readonly routePath: string | undefined
  readonly query: PhpArray
}

/** @param url path and query, or an absolute URL as sent to proxies */
export function parseTarget(url: string): RequestTarget {
  const [sent = ''] = url.split('#', 1)
  const local = sent.startsWith('/') ? sent : sent.replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  const decodedPath = decodePath(path)
  return {
    path,
    decodedPath,
    routePath: path.endsWith('/') ? decodePath(withoutEndSlashes(path)) : decodedPath,
    query: mark === -1 ? noQuery : parseVariables(local.slice(mark + 1)),
  }
}

const noQuery: PhpArray = new PhpArray()

/** The last value of a query parameter, trimmed; null for a list (`name[]=`), undefined if absent. */
export function queryValue(query: PhpArray, name: string): string | null | undefined {
  const value = query.values.get(name)
  if (value === undefined) return undefined
  return value instanceof PhpArray ? null : decodedText(trimmed(value))
}

/** Removes trailing slashes; a path of slashes alone becomes `/`. */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Unlike `decodeURIComponent`, keeps a `%` that escapes nothing. */
function decodePath(path: string): string | undefined {
  if (!/[%\u0080-\uffff]/.test(path)) return path
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}
