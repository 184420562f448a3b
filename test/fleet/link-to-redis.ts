import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { RedisConnection } from '../../src/store/redis/connection.ts'
import { accountKeys } from '../../src/store/redis/session.ts'
import type { StoreError } from '../../src/store/store-error.ts'

export const count = "return redis.call('HINCRBY', KEYS[1], 'count', ARGV[1])"
export const nothing = 'return 1'

export const newKeys = () => accountKeys(randomBytes(8).toString('hex'))

/** A link to a server, usually with keys of its own, which ends with the test. */
export function linkTo(
  url: string,
  options: { ca?: string; keys?: readonly string[]; clock?: Clock } = {},
): RedisConnection {
  const link = new RedisConnection({ url, keys: newKeys(), clock: systemClock, ...options })
  onTestFinished(() => link.close())
  return link
}

/** Adds a user and a password, which no message may show. */
export function signedIn(url: string, user: string, password: string): string {
  return url.replace('://', `://${user}:${password}@`)
}

interface Problem {
  readonly kind: string
  readonly message: string
  readonly hint: string | undefined
}

/** The StoreError of a call that fails. It shows nothing that may be secret. */
export async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const error: unknown = await call.then(
    (answer) => new Error(`the call succeeded: ${JSON.stringify(answer)}`),
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ name: 'StoreError' })
  expect(error).not.toHaveProperty('cause', expect.anything())
  expect(JSON.stringify([String(error), error])).not.toMatch(/hunter/)
  const { failure: kind, message, hint } = error as StoreError
  return { kind, message, hint }
}
