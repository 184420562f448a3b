import { PhpArray, parseVariables, textOf, trimmed } from './php-variables.ts'

/** What a request's URL names, read as the service's framework reads it. */
export interface RequestTarget {
  /** As it was sent, without the query and the fragment. */
  readonly path: string
  /** The percent-decoded path, or undefined where that is not valid UTF-8. */
  readonly decodedPath: string | undefined
  /** The decoded path without the slashes at its end, of which an encoded one is none: what routes are compared to. */
  readonly routePath: string | undefined
  readonly query: PhpArray
}

/** @param url path and query, or a whole URL as proxies are sent it */
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

/**
 * A query parameter's value, blanks around it trimmed; the last one counts. Null where it is a list (`name[]=`),
 * undefined where it is absent.
 */
export function queryValue(query: PhpArray, name: string): string | null | undefined {
  const value = query.values.get(name)
  if (value === undefined) return undefined
  return value instanceof PhpArray ? null : textOf(trimmed(value))
}

/** The path without the slashes at its end; a path of slashes alone is the first of them. */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Unlike `decodeURIComponent`, it leaves a `%` that escapes nothing as it is. */
function decodePath(path: string): string | undefined {
  if (!/[%\u0080-\uffff]/.test(path)) return path
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}
