import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startRedis } from '../helpers/redis-server.ts'
import { tlsFiles } from '../helpers/tls.ts'
import { count, linkTo, nothing, problemOf, signedIn } from './link-to-redis.ts'

test('a wrong password of Redis and a missing one are named, and one too many in the words of Redis', async () => {
  const server = await startRedis()
  const place = `Redis at 127.0.0.1:${server.port}`
  const problem = (url: string) => problemOf(linkTo(url).run(nothing, []))
  const refused = {
    kind: 'refused',
    message: `${place} refuses the user name or the password`,
    hint: expect.stringContaining('# is %23'),
  }
  expect(await problem(signedIn(server.url, 'alice', 'hunter2'))).toEqual(refused)
  expect(await problem(signedIn(server.url, '', 'hunter2'))).toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/ cannot be used: .*without any password configured/),
  })
  await server.command('CONFIG', 'SET', 'requirepass', 'hunter2#')
  expect(await problem(server.url)).toEqual(refused)
  expect(await problem(signedIn(server.url, '', 'hunter3'))).toEqual(refused)
  expect(await linkTo(signedIn(server.url, '', 'hunter2%23')).run(nothing, [])).toBe(1)
})

test('TLS to Redis needs an authority that is trusted, and the name that the certificate has', async () => {
  const server = await startRedis({ isTls: true })
  const link = linkTo(server.url, { ca: readFileSync(tlsFiles.cert, 'utf8') })
  expect(await link.run(count, ['1'])).toBe(1)
  expect(await problemOf(linkTo(server.url).run(nothing, []))).toEqual({
    kind: 'refused',
    message: `Redis at 127.0.0.1:${server.port} has a certificate that is not trusted`,
    hint: expect.stringContaining('--ca-cert FILE'),
  })
  const plain = server.url.replace('rediss:', 'redis:')
  const other = await startRedis()
  const mistaken = [plain, other.url.replace('redis:', 'rediss:')]
  const hint = expect.stringContaining('rediss:// is for a server that speaks TLS')
  expect(await Promise.all(mistaken.map((url) => problemOf(linkTo(url).run(nothing, []))))).toMatchObject([
    { kind: 'unreachable', hint },
    { kind: 'unreachable', hint },
  ])
})

test.each([
  ['min-replicas-to-write 1', 'refused', 'Not enough good replicas'],
  ['maxclients 1', 'unreachable', 'is not ready: ERR max number of clients'],
  ['replica-serve-stale-data no', 'unreachable', 'is not ready: MASTERDOWN'],
])('Redis with %s is not taken for Redis that is gone', async (setting, kind, words) => {
  const server = await startRedis()
  if (kind === 'unreachable') await server.command('REPLICAOF', '127.0.0.1', '1')
  await server.command('CONFIG', 'SET', ...setting.split(' '))
  const problem = await problemOf(linkTo(server.url).run(count, ['1']))
  expect(problem).toMatchObject({ kind, message: expect.stringContaining(words) })
})
