import { createServer as createHttpServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listening } from '../helpers/listening.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { count, linkTo, nothing, problemOf } from './link-to-redis.ts'

test('a script runs with the keys of the account, and again after the server forgot all scripts', async () => {
  const server = await startRedis()
  const link = linkTo(server.url)
  expect(await link.run(count, ['2'])).toBe(2)
  await server.command('SCRIPT', 'FLUSH')
  expect(await link.run(count, ['3'])).toBe(5)
  const stats = String(await server.command('INFO', 'commandstats'))
  expect(stats).toMatch(/cmdstat_eval:calls=2,/)
  expect(stats).toMatch(/cmdstat_evalsha:calls=2,/)
})

test('the number of a database in the URL of Redis counts, and one too high is named', async () => {
  const server = await startRedis()
  const link = linkTo(`${server.url}/3`)
  await link.run(count, ['1'])
  expect(await server.command('INFO', 'keyspace')).toContain('db3:keys=1')
  expect(await problemOf(linkTo(`${server.url}/999`).run(nothing, []))).toEqual({
    kind: 'refused',
    message: `Redis at 127.0.0.1:${server.port} has no database of that number`,
    hint: expect.stringContaining('/0'),
  })
})

test('a link closes its connection once the calls under way have their answers, and a later call connects again', async () => {
  const server = await startRedis()
  const link = linkTo(server.url)
  const calls = [link.run(count, ['1']), link.run(count, ['1'])]
  link.close()
  expect(await Promise.all(calls)).toEqual([1, 2])
  await expect.poll(() => server.command('INFO', 'clients')).toContain('connected_clients:1\r')
  expect(await link.run(count, ['1'])).toBe(3)
})

test('Redis that does not answer fails a call within about 1.5 seconds, and what it was sent is not sent again', async () => {
  const server = await startRedis()
  const link = linkTo(server.url)
  await link.run(count, ['1'])
  server.freeze()
  const started = performance.now()
  const problems = await Promise.all([problemOf(link.run(count, ['10'])), problemOf(link.run(count, ['10']))])
  const took = performance.now() - started
  server.thaw()
  const message = `Redis at 127.0.0.1:${server.port} did not answer within 1.5 s`
  expect(problems).toEqual(Array(2).fill({ kind: 'unreachable', message, hint: expect.stringContaining('rediss://') }))
  expect(took).toBeGreaterThan(1_400)
  const total = Number(await link.run(count, ['0']))
  // Both may have run once after the thaw.
  expect([1, 11, 21]).toContain(total)
  await sleep(50)
  expect(await link.run(count, ['0'])).toBe(total)
})

test.each([
  ['HTTP', (place: string) => `redis://${place}`, 'does not answer as Redis does'],
  ['HTTP', (place: string) => `redis://alice:hunter2@${place}`, 'does not answer as Redis does'],
  ['HTTP', (place: string) => `rediss://${place}`, 'does not speak TLS on this port'],
])('a port that speaks %s in place of Redis is not taken for one that is gone', async (_, url, words) => {
  const place = `127.0.0.1:${await listening(createHttpServer((_request, response) => response.end('hello')))}`
  expect(await problemOf(linkTo(url(place)).run(nothing, []))).toMatchObject({
    kind: 'refused',
    message: `Redis at ${place} ${words}`,
  })
})
