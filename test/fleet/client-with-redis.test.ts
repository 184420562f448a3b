import { expect, test } from 'vitest'
import { type ClientEvent, systemClock as clock } from '../../src/index.ts'
import { redisLedger } from '../../src/redis.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer } from '../helpers/scripted-server.ts'

const stats = { uploads: 0, albums: 0, total_views: 0, api_requests: 0 }
const outages = (events: readonly ClientEvent[]) => events.filter(({ type }) => type === 'ledger-outage')

test('a client whose Redis cannot be reached continues alone, and reports it once', async () => {
  const pacing = { ledger: redisLedger('redis://:hunter2@127.0.0.1:1') }
  const { client, events } = await scriptedClient([answer(200, stats), answer(200, stats)], { pacing, clock })
  await client.stats()
  await client.stats()
  const reason = 'Redis at 127.0.0.1:1 cannot be reached: nothing listens there'
  expect(outages(events)).toEqual([{ type: 'ledger-outage', reason, hint: undefined }])
  expect(client.quota().hour).toMatchObject({ limit: 1_000, used: 2 })
})

test('a client whose Redis is back reports that once', async () => {
  const server = await startRedis()
  await server.kill()
  let isLate = false
  const late = { ...clock, monotonic: () => (clock.monotonic?.() ?? 0) + (isLate ? 60_000 : 0) }
  const pacing = { ledger: redisLedger(server.url) }
  const steps = [answer(200, stats), answer(200, stats), answer(200, stats)]
  const { client, events } = await scriptedClient(steps, { pacing, clock: late })
  await client.stats()
  await server.start()
  isLate = true
  await client.stats()
  await client.stats()
  const told = events.map(({ type }) => type).filter((type) => type.startsWith('ledger-'))
  expect(told).toEqual(['ledger-outage', 'ledger-return'])
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
  const [runners] = (await server.command('KEYS', 'fh1:*:runners')) as string[]
  expect(await server.command('ZCARD', String(runners))).toBe(2)
  await client.close()
  await expect.poll(() => server.command('ZCARD', String(runners))).toBe(1)
  expect(outages(events)).toEqual([])
})
