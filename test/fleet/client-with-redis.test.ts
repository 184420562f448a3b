import { expect, test } from 'vitest'
import { type ClientEvent, systemClock as clock } from '../../src/index.ts'
import type { LedgerAccount } from '../../src/pacing/ledger.ts'
import { redisLedger } from '../../src/redis.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer } from '../helpers/scripted-server.ts'

const stats = { uploads: 0, albums: 0, total_views: 0, api_requests: 0 }
const outages = (events: readonly ClientEvent[]) => events.filter(({ type }) => type === 'ledger-outage')

/** The same ledger, which waits less for a server. */
const impatient = (url: string, patienceMs: number) => ({
  open: (account: LedgerAccount) => redisLedger(url).open({ ...account, patienceMs }),
})

test('a client whose Redis comes back empty fails once, reports the return, and goes on', async () => {
  const server = await startRedis()
  const pacing = { ledger: impatient(server.url, 60_000), limits: { burst: null, minute: null, hour: null, day: null } }
  const { client, events } = await scriptedClient([answer(200, stats), answer(200, stats)], { pacing, clock })
  await client.stats()
  await server.kill()
  const ended = expect(client.stats()).rejects.toMatchObject({
    code: 'connection-failed',
    hint: 'Run the same command again',
  })
  await expect.poll(() => outages(events)).toHaveLength(1)
  await server.start()
  await ended
  await client.stats()
  const reported = events.map(({ type }) => type).filter((type) => type.startsWith('ledger-'))
  expect(reported).toEqual(['ledger-outage', 'ledger-return'])
})

test('two clients of one key count together in Redis, and a closed one is no runner any more', async () => {
  const server = await startRedis()
  const pacing = { ledger: redisLedger(server.url) }
  const steps = [answer(200, stats), answer(200, stats)]
  const { client, server: service, events } = await scriptedClient(steps, { pacing, clock })
  const other = await scriptedClient([], { pacing, clock, baseUrl: service.baseUrl })
  await client.stats()
  await other.client.stats()
  expect(other.client.quota().hour).toMatchObject({ used: 2 })
  const [leases] = (await server.command('KEYS', 'fh2:*:runs')) as string[]
  expect(await server.command('HLEN', String(leases))).toBe(2)
  await client.close()
  await expect.poll(() => server.command('HLEN', String(leases))).toBe(1)
  expect(outages(events)).toEqual([])
})
