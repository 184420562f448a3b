import { mkdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { inspectRedis } from '../../src/store/redis/inspect.ts'
import { neededRights } from '../../src/store/redis/problems.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { certificate, count, linkTo, nothing, problemOf, signedIn } from './link-to-redis.ts'

test('a wrong password of Redis, a missing one and one too many are told apart', async () => {
  const server = await startRedis()
  const place = `Redis at 127.0.0.1:${server.port}`
  const problem = (url: string) => problemOf(linkTo(url).run(nothing, []))
  expect(await problem(signedIn(server.url, 'alice', 'hunter2'))).toEqual({
    kind: 'wrong-password',
    message: `${place} refuses the user name or the password`,
    hint: expect.stringContaining('# is %23'),
  })
  expect(await problem(signedIn(server.url, '', 'hunter2'))).toEqual({
    kind: 'wrong-password',
    message: `${place} has no password, but one was given`,
    hint: 'Leave the password out of its URL',
  })
  await server.command('CONFIG', 'SET', 'requirepass', 'hunter2#')
  expect(await problem(server.url)).toMatchObject({ kind: 'wrong-password', message: `${place} asks for a password` })
  expect(await problem(signedIn(server.url, '', 'hunter3'))).toMatchObject({ kind: 'wrong-password' })
  expect(await linkTo(signedIn(server.url, '', 'hunter2%23')).run(nothing, [])).toBe(1)
})

test('a user of Redis with the rights that the hint names can do all that a ledger needs', async () => {
  const server = await startRedis()
  await server.command('ACL', 'SETUSER', 'runner', 'on', '>hunter2', ...neededRights.split(' '))
  expect(await inspectRedis(linkTo(signedIn(server.url, 'runner', 'hunter2')))).toEqual({
    software: undefined,
    warning: undefined,
  })
})

test.each(neededRights.split(' ').filter((right) => right.startsWith('+')))(
  'without the right %s in Redis, its inspection says what is missing and how to allow it',
  async (right) => {
    const server = await startRedis()
    const others = neededRights.split(' ').filter((other) => other !== right)
    await server.command('ACL', 'SETUSER', 'runner', 'on', '>hunter2', ...others)
    const link = linkTo(signedIn(server.url, 'runner', 'hunter2'))
    expect(await problemOf(inspectRedis(link))).toEqual({
      kind: 'not-permitted',
      message: expect.stringMatching(new RegExp(`\\b${right.slice(1)}\\b`, 'i')),
      hint: expect.stringContaining(`in redis-cli: ACL SETUSER <user> ${neededRights}`),
    })
  },
)

test('a script that Redis does not permit, and keys that it does not permit, are told with the rule that permits them', async () => {
  const server = await startRedis()
  const hint = `Allow it, in redis-cli: ACL SETUSER <user> ${neededRights}`
  await server.command('ACL', 'SETUSER', 'inner', 'on', '>hunter2', '~fh1:*', '+eval', '+evalsha')
  await server.command('ACL', 'SETUSER', 'keys', 'on', '>hunter2', '~other:*', '+@all')
  for (const user of ['inner', 'keys']) {
    const problem = await problemOf(linkTo(signedIn(server.url, user, 'hunter2')).run(count, ['1']))
    expect(problem).toMatchObject({ kind: 'not-permitted', hint })
  }
})

test('TLS to Redis needs an authority that is trusted, and the name that the certificate has', async () => {
  const server = await startRedis({ isTls: true })
  const ca = await certificate()
  const link = linkTo(server.url, { ca })
  expect(await link.run(count, ['1'])).toBe(1)
  expect(await problemOf(linkTo(server.url).run(nothing, []))).toEqual({
    kind: 'certificate',
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

test('a certificate of Redis for other names is named as the fault, also where its authority is trusted', async () => {
  const server = await startRedis({ isTls: true, args: ['--bind', '127.0.0.2'] })
  const url = server.url.replace('127.0.0.1', '127.0.0.2')
  expect(await problemOf(linkTo(url, { ca: await certificate() }).run(nothing, []))).toEqual({
    kind: 'certificate',
    message: `Redis at 127.0.0.2:${server.port} has a certificate for other names`,
    hint: expect.stringContaining('--ca-cert FILE'),
  })
})

test('a replica of Redis takes no writes, and after it became the primary server the next call works', async () => {
  const replica = await startRedis()
  await replica.command('REPLICAOF', '127.0.0.1', '1')
  const link = linkTo(replica.url)
  expect(await problemOf(link.run(count, ['1']))).toEqual({
    kind: 'read-only',
    message: `Redis at 127.0.0.1:${replica.port} is a replica, and takes no writes`,
    hint: 'Name the server that it copies',
  })
  // The name may lead to another server by now, so the next call connects again. The other connection is the test's.
  await expect.poll(() => replica.command('INFO', 'clients')).toContain('connected_clients:1\r')
  await replica.command('REPLICAOF', 'NO', 'ONE')
  expect(await link.run(count, ['1'])).toBe(1)
})

test.each([
  ['maxmemory 1', 'out-of-memory', 'has used the memory it may have'],
  ['min-replicas-to-write 1', 'read-only', 'too few replicas'],
  ['maxclients 1', 'not-ready', 'as many connections as it takes'],
  ['replica-serve-stale-data no', 'not-ready', 'is a replica that lost the server it copies'],
])('Redis with %s is not taken for Redis that is gone', async (setting, kind, words) => {
  const server = await startRedis()
  if (kind === 'not-ready') await server.command('REPLICAOF', '127.0.0.1', '1')
  await server.command('CONFIG', 'SET', ...setting.split(' '))
  const problem = await problemOf(linkTo(server.url).run(count, ['1']))
  expect(problem).toMatchObject({ kind, message: expect.stringContaining(words) })
})

test('Redis that could not write its data to disk is not taken for Redis that is gone', async () => {
  const server = await startRedis({ args: ['--save', '3600 1', '--dbfilename', 'dump.rdb'] })
  await server.command('SET', 'key', 'value')
  // A folder of that name cannot be replaced by a file.
  const [, folder = ''] = (await server.command('CONFIG', 'GET', 'dir')) as string[]
  await mkdir(`${folder}/dump.rdb/full`, { recursive: true })
  await server.command('BGSAVE')
  await expect.poll(() => server.command('INFO', 'persistence')).toContain('rdb_last_bgsave_status:err')
  expect(await problemOf(linkTo(server.url).run(count, ['1']))).toMatchObject({
    kind: 'read-only',
    message: expect.stringContaining('cannot write its data to disk'),
  })
})

test('a node of a Redis cluster that holds other keys is not taken for one of a cluster that is down', async () => {
  const server = await startRedis({ args: ['--cluster-enabled', 'yes'] })
  const problem = async () => (await problemOf(linkTo(server.url).run(count, ['1']))).message
  expect(await problem()).toContain('belongs to a cluster that is down')
  await server.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  // A node waits for two seconds after its start.
  await expect.poll(() => server.command('CLUSTER', 'INFO'), { timeout: 20_000 }).toContain('cluster_state:ok')
  expect(await linkTo(server.url).run(count, ['1'])).toBe(1)
  expect(await inspectRedis(linkTo(server.url))).toMatchObject({ software: expect.stringMatching(/^Redis \d/) })
  expect(await problemOf(linkTo(`${server.url}/1`).run(count, ['1']))).toMatchObject({ kind: 'cluster' })
})

test('the inspection of Redis names the software, and warns of a policy that drops keys', async () => {
  const server = await startRedis()
  const link = linkTo(server.url)
  expect(await inspectRedis(link)).toEqual({
    software: expect.stringMatching(/^Redis \d+\.\d+\.\d+$/),
    warning: undefined,
  })
  await server.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru')
  expect((await inspectRedis(link)).warning).toBeUndefined()
  await server.command('CONFIG', 'SET', 'maxmemory', '100mb')
  expect((await inspectRedis(link)).warning).toContain('its maxmemory-policy is volatile-lru, not noeviction')
  await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await server.command('CONFIG', 'SET', 'maxmemory', '1')
  expect(await problemOf(inspectRedis(link))).toMatchObject({ kind: 'out-of-memory' })
})

test('Redis that still loads its data says so, and the first call after it works', async () => {
  const server = await startRedis({
    args: ['--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024'],
  })
  await server.command('EVAL', "for key = 1, 500 do redis.call('SET', key, string.rep('x', 100)) end", '0')
  await server.command('SAVE')
  await server.kill()
  await server.start()
  const link = linkTo(server.url)
  expect(await problemOf(link.run(count, ['1']))).toMatchObject({
    kind: 'not-ready',
    message: `Redis at 127.0.0.1:${server.port} is still loading its data`,
  })
  const isLoaded = () => link.run(count, ['0']).catch(() => undefined)
  await expect.poll(isLoaded, { timeout: 20_000 }).toBe(0)
})
