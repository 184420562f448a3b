import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { fleetKeys } from '../../src/fleet/fleet-keys.ts'
import { openRedisLink } from '../../src/fleet/redis-client-link.ts'
import type { RedisLink } from '../../src/fleet/redis-link.ts'
import { redisUrl, startRedis } from '../helpers/redis-server.ts'

const count = { text: "return redis.call('HINCRBY', KEYS[1], 'count', ARGV[1])" }
const nothing = { text: 'return 1' }

function linkTo(url: string): RedisLink {
  const keys = fleetKeys(randomBytes(8).toString('hex'))
  const link = openRedisLink({ url, keys, clock: systemClock })
  onTestFinished(() => link.close())
  return link
}

/** A URL with a user and a password, which no message may show. */
function signedIn(url: string, user: string, password: string): string {
  return url.replace('://', `://${user}:${password}@`)
}

async function problemOf(call: Promise<unknown>): Promise<{ kind: string; message: string; hint: string | undefined }> {
  const error = await call.then(
    () => {
      throw new Error('the call succeeded')
    },
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ name: 'FleetProblem' })
  expect(error.cause).toBeUndefined()
  return { kind: error.kind, message: error.message, hint: error.hint }
}

test('a script runs with the keys of the account, and again after the server forgot all scripts', async () => {
  const server = await startRedis()
  const link = linkTo(server.url)
  expect(await link.run(count, ['2'])).toBe(2)
  await server.command('SCRIPT', 'FLUSH')
  expect(await link.run(count, ['3'])).toBe(5)
  const stats = String(await server.command('INFO', 'commandstats'))
  expect([/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1], /cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]]).toEqual([
    '2',
    '2',
  ])
})

test('an answer may have text, numbers, nothing and lists', async () => {
  const link = linkTo(await redisUrl())
  expect(await link.run({ text: "return {'text', 7, {'in', {}}, false}" }, [])).toEqual(['text', 7, ['in', []], null])
  expect(await link.send(['ECHO', 'ă'])).toBe('ă')
})

test('many calls at once share one connection', async () => {
  const server = await startRedis()
  const link = linkTo(server.url)
  await Promise.all(Array.from({ length: 200 }, () => link.run(count, ['1'])))
  expect(await link.run(count, ['1'])).toBe(201)
  // That of the test itself, and that of the link.
  expect(String(await server.command('INFO', 'clients'))).toContain('connected_clients:2')
})

test('a wrong password, a missing password and one too many are told apart, and not shown', async () => {
  const server = await startRedis()
  const wanted = signedIn(server.url, 'alice', 'hunter2')
  expect(await problemOf(linkTo(wanted).run(nothing, []))).toMatchObject({
    kind: 'wrong-password',
    message: `Redis at 127.0.0.1:${server.port} refuses the user name or the password`,
    hint: expect.stringContaining('# is %23'),
  })
  expect(await problemOf(linkTo(signedIn(server.url, '', 'hunter2')).run(nothing, []))).toMatchObject({
    kind: 'wrong-password',
    message: expect.stringContaining('has no password, but one was given'),
  })
  await server.command('CONFIG', 'SET', 'requirepass', 'hunter2')
  expect(await problemOf(linkTo(server.url).run(nothing, []))).toMatchObject({
    kind: 'wrong-password',
    message: expect.stringContaining('asks for a password'),
  })
  expect(await problemOf(linkTo(signedIn(server.url, '', 'hunter3')).run(nothing, []))).toMatchObject({
    kind: 'wrong-password',
  })
  expect(await linkTo(signedIn(server.url, '', 'hunter2')).run(nothing, [])).toBe(1)
})
