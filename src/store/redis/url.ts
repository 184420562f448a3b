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

/**
 * Reads `redis://` or, with TLS, `rediss://`, then `[user:password@]host[:port][/database]`.
 * @throws TypeError that does not repeat the text, since it may contain a password
 */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined) throw invalidValue(`not the URL of a Redis server: ${adviceOn(text)}`)
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw invalidValue(`the URL of a Redis server begins with redis:// or rediss://: ${form}`)
  }
  if (url.hash !== '') throw invalidValue(`the URL of a Redis server has no part after #: ${encoding}`)
  if (url.search !== '') throw invalidValue(`the URL of a Redis server has no part after ?: ${form}`)
  if (url.hostname === '') throw invalidValue(`the URL names no Redis server: ${adviceOn(text)}`)
  return {
    isTls: url.protocol === 'rediss:',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || usualPort),
    username: decoded(url.username),
    password: decoded(url.password),
    database: databaseOf(url),
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

const encoding = 'percent-encode a password, # as %23, / as %2F, @ as %40'

function adviceOn(text: string): string {
  return text.includes('@') ? encoding : form
}

function decoded(part: string): string | undefined {
  if (part === '') return undefined
  try {
    return decodeURIComponent(part)
  } catch {
    throw invalidValue(`a % in user or password of a Redis server begins no character: write it as %25`)
  }
}

function databaseOf({ pathname }: URL): number {
  const [, number] = /^\/?(\d{1,5})?$/.exec(pathname) ?? []
  if (pathname.length > 1 && number === undefined) {
    throw invalidValue('the path of the URL of a Redis server is the number of a database, such as /0')
  }
  return Number(number ?? 0)
}
