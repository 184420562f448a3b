import { createHash } from 'node:crypto'

const OTHER_LOOPBACK = /^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/

/** The address that names an account: `localhost`, `127.0.0.1` and `[::1]` are one machine, and so one address. */
export function accountAddress(baseUrl: string): string {
  return baseUrl.replace(OTHER_LOOPBACK, '$1localhost')
}

/** Names an account, one key of one service, in files that must not contain address or key: 16 hexadecimal digits. */
export function accountHash(baseUrl: string, apiKey: string): string {
  return exactHash(accountAddress(baseUrl), apiKey)
}

/** Names a key at one spelling of an address: runs on several machines share nothing of a `localhost`. */
export function exactHash(baseUrl: string, apiKey: string): string {
  return createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex').slice(0, 16)
}
