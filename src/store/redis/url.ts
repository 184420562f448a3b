import { invalidValue } from '../../checks/coded-error.ts'

const usualPort = '6379'
const form = 'write redis://host:6379, or rediss://user:password@host:6379/0'
const encoding = 'percent-encode a password, % as %25, # as %23, / as %2F, @ as %40'

/**
 * Reads `redis://` or, with TLS, `rediss://`, then `[user:password@]host[:port][/database]`.
 * @throws TypeError that does not repeat the text, since it may contain a password
 */
export function parseRedisUrl(text: string): URL {
  try {
    const url = new URL(text.trim())
    const isOfRedis = /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^\/?\d{0,5}$/.test(url.pathname)
    // The package decodes them when it connects.
    decodeURIComponent(url.username + url.password)
    if (isOfRedis && url.hash === '' && url.search === '') return url
  } catch {
    // Refused below.
  }
  throw invalidValue(`not the URL of a Redis server: ${form}; ${encoding}`)
}

/** The server, for messages. */
export function redisHost({ hostname, port }: URL): string {
  return `${hostname}:${port || usualPort}`
}

/** The URL as messages show it: without user and password. */
export function shownRedisUrl(text: string): string {
  const url = parseRedisUrl(text)
  return `${url.protocol}//${redisHost(url)}${url.pathname.replace(/^\/0?$/, '')}`
}

/** The URL as a setting is shown: without user and password. */
export function redactRedisUrl(text: string): string {
  try {
    const { username, password } = parseRedisUrl(text)
    return shownRedisUrl(text).replace('://', username || password ? '://[redacted]@' : '://')
  } catch {
    // Any part may be a password.
    return '[redacted]'
  }
}
