import { isLoopback, parseBaseUrl, withoutTrailingSlashes } from '../../client/base-url.ts'

/** Pages of the website and calls of the API, which people copy from a browser (spec 1, 2.1, 4). */
const pageOrCall = /\/(cont\/[^/]+|[iet]\/[^/]+|api\/[^/]+(\/[^/]+)?)$/

/**
 * Reads the base URL of a service as a person types or pastes it: `localhost:4884` (http for this machine, https for
 * others), with blanks or quotes around it, with `/api` at the end. Whether the key may be sent to it unencrypted is
 * checked before a connection is made.
 *
 * @returns the URL without `/api` and without trailing slashes
 * @throws TypeError that says what is wrong, and which base URL was meant where the text shows it
 */
export function readServiceAddress(text: string): string {
  const address = withScheme(unwrapPasted(text))
  const url = /^https?:/i.test(address) ? URL.parse(address) : null
  if (url === null) return parseBaseUrl(address)
  const path = withoutTrailingSlashes(url.pathname)
  const base = `${url.origin}${withoutTrailingSlashes(path.replace(pageOrCall, ''))}`
  if (base !== `${url.origin}${path}`) throw new TypeError(`That is a page or a call of the service: write ${base}`)
  if (url.search || url.hash) throw new TypeError(`The base URL must end with its path, without ? or #: write ${base}`)
  url.pathname = withoutTrailingSlashes(path.replace(/\/api$/, ''))
  return parseBaseUrl(url, { allowInsecureHttp: true })
}

/** Adds the scheme to a host: it has a dot, a port or brackets, or is this machine. Any other text may be a key in the wrong place. */
function withScheme(text: string): string {
  if (/^https?:/i.test(text) || text.includes('://')) return text
  const address = text.replace(/^\/+/, '')
  const [host = ''] = address.split(/[/?#]/, 1)
  if (!/\.|:\d|^\[/.test(host) && !isLoopback(host)) return text
  const asHttp = `http://${address}`
  return isLoopback(URL.parse(asHttp)?.hostname ?? '') ? asHttp : `https://${address}`
}

/** What a terminal sends around a pasted text (bracketed paste). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const pasteMark = /\u001b\[20[01]~/g

/** What copying brings along at both ends: blanks, line breaks, quotes, angle brackets, letters that are not seen. */
const wrapping = /[\s'"`<>“”„‘’«»\p{Cc}\p{Cf}]/u

/** A text as it was copied, without what stands around it. */
export function unwrapPasted(text: string): string {
  // Most texts have nothing around them, and letters by their Unicode categories take a while to compile.
  if (/^[\w/]([!-~]*[\w/])?$/.test(text)) return text
  const bare = text.replace(pasteMark, '')
  let [start, end] = [0, bare.length]
  while (start < end && wrapping.test(bare.charAt(start))) start += 1
  while (start < end && wrapping.test(bare.charAt(end - 1))) end -= 1
  return bare.slice(start, end)
}
