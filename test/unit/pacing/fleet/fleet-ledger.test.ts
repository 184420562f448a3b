import { expect, test } from 'vitest'
import { unlearnFleet } from '../../../../src/pacing/fleet/open-fleet.ts'
import { redisLedgerOver } from '../../../helpers/redis-quota.ts'
import { createEventClock } from '../../../pacing/simulation/event-clock.ts'
import { createSimulatedRedis } from '../../../pacing/simulation/simulated-redis.ts'

const limits = { burst: 20, minute: 60, hour: 1_000, day: 10_000 }
const start = Date.parse('2026-11-22T12:00:00Z')

/** Ledgers of one key, 10 ms from Redis, in virtual time. */
function runners() {
  const clock = createEventClock(start)
  const redis = createSimulatedRedis(clock)
  const link = () => redis.connect([10, 10], Math.random)
  const open = () => {
    const { quota, ledger } = redisLedgerOver({ link: link(), clock, limits })
    async function read() {
      const end = new AbortController()
      const reading = ledger.changed(end.signal).catch(() => {})
      await clock.sleep(30)
      end.abort()
      await reading
    }
    return { ...ledger, quota, read }
  }
  const types = async () => (await redisLedgerOver({ link: link(), clock }).quota.look()).map(({ type }) => type)
  return { clock, open, link, types, calls: redis.calls }
}

test('reservations that one ledger is asked for at once do not give each other up', async () => {
  const { clock, open } = runners()
  const [one, other] = [open(), open()]
  await clock.run(
    (async () => {
      await one.read()
      const first = one.reserve(10)
      // On its way to Redis.
      await clock.sleep(5)
      const both = await Promise.all([first, one.reserve(10)])
      expect(both.map(({ type }) => type)).toEqual(['granted', 'granted'])
      // Both count: the burst is full.
      expect(await other.reserve(10)).toMatchObject({ type: 'denied' })
    })(),
    start + 5_000,
  )
})

test('a reservation is denied and given up if a refusal of another runner came just before it', async () => {
  const { clock, open, types } = runners()
  const [one, other] = [open(), open()]
  await clock.run(
    (async () => {
      const first = await one.reserve(10)
      if (first.type !== 'granted') throw new Error(`the first reservation is ${first.type}`)
      // Now the other runner knows of that reservation, and not of its end.
      await other.read()
      const refusal = { type: 'answered', at: clock.now(), status: 429, report: {}, holdMs: 300_000 } as const
      await one.settle(first.id, { ...refusal, refusedBy: 'hour' })
      expect(await other.reserve(1)).toMatchObject({
        type: 'denied',
        verdict: { window: 'hour', source: 'retry-after' },
      })
      expect(await types()).toEqual(['reserve', 'settle', 'place'])
    })(),
    start + 5_000,
  )
})

test('a runner that is gone no longer waits before others', async () => {
  const { clock, open, types } = runners()
  const [one, other] = [open(), open()]
  const all = { type: 'answered', status: 201, report: {} } as const
  await clock.run(
    (async () => {
      for (const _ of [1, 2]) {
        const first = await one.reserve(10)
        if (first.type === 'granted') await one.settle(first.id, { ...all, at: clock.now() })
      }
      await other.reserve(20)
      await clock.sleep(15_000)
      await one.read()
      await clock.sleep(16_000)
      expect(await one.reserve(20)).toMatchObject({ type: 'granted' })
      const before = (await types()).length
      // It waits again under another name, because that one is used up.
      await other.reserve(20)
      expect((await types()).slice(before)).toEqual(['place'])
    })(),
    start + 60_000,
  )
})

test('a runner at work forgets what it learned from a refusal once it hears that all are to forget', async () => {
  const { clock, open, link } = runners()
  const one = open()
  const refusal = { type: 'answered', status: 429, report: {}, refusedBy: 'hour', holdMs: 300_000 } as const
  await clock.run(
    (async () => {
      const first = await one.reserve(1)
      if (first.type === 'granted') await one.settle(first.id, { ...refusal, at: clock.now() })
      expect(await one.reserve(1)).toMatchObject({ type: 'denied' })
      await unlearnFleet({ connection: link(), clock })
      await clock.sleep(2_001)
      expect(await one.reserve(1)).toMatchObject({ type: 'granted' })
    })(),
    start + 60_000,
  )
})
