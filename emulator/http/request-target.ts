/** What a request's URL names, read as the service's framework reads it. */
export interface RequestTarget {
  /** As it was sent, without the query. */
  readonly path: string
  /** The percent-decoded path, or undefined where that is not valid UTF-8. */
  readonly decodedPath: string | undefined
  readonly query: URLSearchParams
}

/** @param url path and query, or a whole URL as proxies are sent it */
export function parseTarget(url: string): RequestTarget {
  const local = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  return { path, decodedPath: decodePath(path), query: mark === -1 ? noQuery : new URLSearchParams(local.slice(mark)) }
}

const noQuery = new URLSearchParams()

/**
 * A query parameter's value, blanks around it trimmed; the last one counts. Null where it is a list (`name[]=`),
 * undefined where it is absent.
 */
export function queryValue(query: URLSearchParams, name: string): string | null | undefined {
  let value: string | null | undefined
  for (const [key, text] of query) {
    if (key === name) value = text.trim()
    else if (key.startsWith(`${name}[`)) value = null
  }
  return value
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
