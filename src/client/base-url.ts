import { invalidValue, quoted } from '../checks/coded-error.ts'

/**
 * Reads a base URL such as `https://files.example`; may have a path prefix and trailing slashes.
 *
 * @param how the caller can allow plain http; ends a message
 * @returns the URL without trailing slashes
 * @throws TypeError that says what is wrong
 */
export function parseBaseUrl(value: string | URL, allowInsecureHttp = false, how = ''): string {
  const url = parse(String(value).trim())
  if (url.username || url.password) throw invalidValue('The base URL must not contain a user name or password')
  const path = withoutTrailingSlashes(url.pathname)
  if (url.search || url.hash) throw invalidValue(`The base URL is without ? or #: write ${url.origin}${path}`)
  if (/\/api$/.test(path)) {
    throw invalidValue(
      `The base URL must not end in /api, which every call adds itself: use ${url.origin}${path.slice(0, -4)}`,
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp) {
    throw invalidValue(
      `The key would travel unencrypted to ${url.host}: use https, or allow plain http explicitly${how}`,
    )
  }
  return `${url.origin}${path}`
}

function parse(text: string): URL {
  if (!URL.canParse(text)) {
    // A text without any of these is no address: it may be the key, in the wrong place.
    const found = /[.:/]/.test(text) ? `: ${quoted(text)}` : ''
    throw invalidValue(`Not a URL${found}; give it as https://files.example`)
  }
  const url = new URL(text)
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw invalidValue(`The base URL must begin with https:// or http://, but is ${quoted(text)}`)
}

/** The look-behind keeps this linear: one try for each run of slashes. */
export function withoutTrailingSlashes(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '')
}

/** The host of a URL as it is looked up: an IPv6 address without its brackets. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Whether a host name can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostOf({ hostname }).toLowerCase()
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
