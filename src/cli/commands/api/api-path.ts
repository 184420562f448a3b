import { usageError } from '../../failures/cli-error.ts'

/**
 * Reads the path of a raw call: `/api/stats`, `stats`, or a full URL such as `next_page_url`. A missing `/api` is added,
 * since the key may be sent nowhere else.
 *
 * @param baseUrl without trailing slash
 * @returns the path below the base URL, with its query
 * @throws CliError of code `usage`
 */
export function parseApiPath(text: string, baseUrl: string): string {
  const path = /^https?:\/\//i.test(text) ? pathBelow(URL.parse(text), baseUrl) : text
  if (path === undefined) throw usageError(`${text} is not below ${baseUrl}`, 'The key is not sent to other addresses')
  const [, plain = '', query = ''] = /^\/?([^?#]*)(\?[^#]*)?/.exec(path) ?? []
  if (plain === '' || plain === 'api' || plain === 'api/') {
    throw usageError(`${JSON.stringify(text)} is not an API path`, 'Write it like /api/stats or stats')
  }
  if (/[\s\\]/.test(plain + query) || plain.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part))) {
    throw usageError(
      `${JSON.stringify(text)} is not a path`,
      'Percent-encode special characters, and leave out . and ..',
    )
  }
  return `/${plain.startsWith('api/') ? '' : 'api/'}${plain}${query}`
}

/**
 * The path of the next page. A service behind a proxy may write http: instead of https:, and may drop other parameters
 * of the query. So the URL's parameters are merged into the path of the last call.
 *
 * @throws CliError if the URL leads to another host or another list
 */
export function nextPagePath(nextUrl: string, path: string, baseUrl: string): string {
  const below = pathBelow(URL.parse(nextUrl, baseUrl), baseUrl)
  if (below === undefined) throw usageError(`The next page is not below ${baseUrl}: ${nextUrl}`)
  const next = new URL(below, 'http://path')
  const merged = new URL(path, 'http://path')
  if (next.pathname !== merged.pathname) throw usageError(`The next page is of another list: ${nextUrl}`)
  for (const [name, value] of next.searchParams) merged.searchParams.set(name, value)
  return `${merged.pathname}${merged.search}`
}

function pathBelow(url: URL | null, baseUrl: string): string | undefined {
  if (url === null) return undefined
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const below = url.host === base.host && url.pathname.startsWith(`${prefix}/`)
  return below ? `${url.pathname.slice(prefix.length)}${url.search}` : undefined
}
