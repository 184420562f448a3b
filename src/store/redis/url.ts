import { invalidValue } from '../../checks/coded-error.ts'

/** Where a Redis server is, and how to sign in there. */
export interface RedisAddress {
  /** Whether the connection is encrypted: `rediss://`. */
  readonly isTls: boolean
  /** A name or an address, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** Undefined: Redis' user `default`. */
  readonly username: string | undefined
  readonly password: string | undefined
  /** Counted from 0. */
  readonly database: number
}

const usualPort = 6379
const form = 'write redis://host:6379, or rediss://user:password@host:6379/0'
const encoding = 'percent-encode a password, % as %25, # as %23, / as %2F, @ as %40'

/**
 * Reads `redis://` or, with TLS, `rediss://`, then `[user:password@]host[:port][/database]`.
 * @throws TypeError that does not repeat the text, since it may contain a password
 */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  const [path, database = 0] = /^\/?(\d{1,5})?$/.exec(url?.pathname ?? '-') ?? []
  const isWhole = url !== undefined && /^rediss?:$/.test(url.protocol) && path !== undefined
  if (!isWhole || url.hostname === '' || url.hash !== '' || url.search !== '') throw noUrl()
  return {
    isTls: url.protocol === 'rediss:',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || usualPort),
    username: decoded(url.username),
    password: decoded(url.password),
    database: Number(database),
  }
}

/** The URL as messages show it: without user and password. */
export function shownRedisUrl(text: string): string {
  const { isTls, host, port, database } = parseRedisUrl(text)
  const name = host.includes(':') ? `[${host}]` : host
  return `${isTls ? 'rediss' : 'redis'}://${name}:${port}${database === 0 ? '' : `/${database}`}`
}

/** The URL as a setting is shown: without user and password. */
export function redactRedisUrl(text: string): string {
  try {
    const { username, password } = parseRedisUrl(text)
    const isSignedIn = username !== undefined || password !== undefined
    return shownRedisUrl(text).replace('://', isSignedIn ? '://[redacted]@' : '://')
  } catch {
    // Any part may be a password.
    return '[redacted]'
  }
}

function decoded(part: string): string | undefined {
  try {
    return part === '' ? undefined : decodeURIComponent(part)
  } catch {
    throw noUrl()
  }
}

function noUrl(): TypeError {
  return invalidValue(`not the URL of a Redis server: ${form}; ${encoding}`)
}
