import { expect, test } from 'vitest'
import { Pacer } from '../../../src/pacing/create-pacer.ts'
import type { PacingPermit, PacingWait } from '../../../src/pacing/pacer.ts'
import { QuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import { createMemoryLedger } from '../../../src/pacing/shared/store-ledger.ts'
import { createEventClock } from '../../pacing/simulation/event-clock.ts'

const start = Date.parse('2026-11-20T12:00:00Z')
const patient = { cost: 10, maxWaitMs: Number.POSITIVE_INFINITY }

function pacing() {
  const clock = createEventClock(start)
  const ledger = createMemoryLedger(new QuotaModel(), clock)
  const pacer = new Pacer({ clock, ledger })
  const complete = (permit: PacingPermit, status = 201, holdMs?: number) =>
    permit.complete({ type: 'answered', at: clock.now(), status, report: { serverNow: clock.now() }, holdMs })
  /** As many uploads as the burst has room for. */
  const fillBurst = async () => {
    for (const _ of [1, 2]) await complete(await pacer.acquire(patient))
  }
  return { clock, ledger, pacer, complete, fillBurst }
}

/** @returns how long the work took, in virtual milliseconds */
async function timeOf(work: (world: ReturnType<typeof pacing>) => Promise<unknown>): Promise<number> {
  const world = pacing()
  await world.clock.run(work(world))
  return world.clock.now() - start
}

test('a small request does not overtake a large one', () =>
  timeOf(async ({ pacer, fillBurst }) => {
    await fillBurst()
    const order: string[] = []
    const large = pacer.acquire(patient).then(() => order.push('large'))
    const small = pacer.acquire({ ...patient, cost: 1 }).then(() => order.push('small'))
    await Promise.all([large, small])
    expect(order).toEqual(['large', 'small'])
  }))

test('a wait that ends at maxWaitMs is waited, and announced once, with its window, source and length', async () => {
  const waits: PacingWait[] = []
  const took = await timeOf(async ({ pacer, complete }) => {
    await complete(await pacer.acquire(patient), 503, 200_000)
    await pacer.acquire({ ...patient, maxWaitMs: 200_250, onWait: (wait) => waits.push(wait) })
  })
  expect([took, waits]).toEqual([200_250, [{ window: undefined, source: 'unavailable', delayMs: 200_250 }]])
})

test('a request whose maxWaitMs is too short is rejected at once, also behind the first in the queue', () =>
  timeOf(async ({ clock, pacer, fillBurst }) => {
    await fillBurst()
    const first = pacer.acquire(patient)
    const wait = { window: 'burst', source: 'ledger' }
    await expect(pacer.acquire({ ...patient, maxWaitMs: 5_000 })).rejects.toMatchObject({
      name: 'WaitTooLongError',
      wait,
    })
    expect(clock.now()).toBe(start)
    await first
  }))

test('a wait of unknown length is rejected after maxWaitMs', async () => {
  const took = await timeOf(async ({ pacer }) => {
    for (const _ of [1, 2]) await pacer.acquire(patient)
    await expect(pacer.acquire({ ...patient, maxWaitMs: 90_000 })).rejects.toThrow('may be sent')
  })
  expect(took).toBe(90_000)
})

test('a request that ends wakes the first in the queue', async () => {
  const took = await timeOf(async ({ clock, pacer }) => {
    const permits = [await pacer.acquire(patient), await pacer.acquire(patient)]
    const third = pacer.acquire(patient)
    await clock.sleep(1_000)
    await permits[0]?.complete({ type: 'not-sent' })
    await third
  })
  expect(took).toBe(1_000)
})

test('an aborted request leaves the queue, holds no units, and lets a smaller one behind it go at once', async () => {
  const took = await timeOf(async ({ clock, pacer, complete }) => {
    await complete(await pacer.acquire({ ...patient, cost: 15 }))
    const gone = new AbortController()
    const aborted = pacer.acquire({ ...patient, signal: gone.signal })
    const next = pacer.acquire({ ...patient, cost: 1 })
    await clock.sleep(1_000)
    gone.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    await next
    await expect(pacer.acquire({ ...patient, signal: gone.signal })).rejects.toThrow('enough')
    expect(pacer.windows().minute?.used).toBe(16)
  })
  expect(took).toBe(1_000)
})

test('a request that is aborted while the ledger is asked holds no units', async () => {
  const { pacer } = pacing()
  const gone = new AbortController()
  const aborted = pacer.acquire({ ...patient, signal: gone.signal })
  gone.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  expect(pacer.windows().minute?.used).toBe(0)
})

test('a ledger error rejects the request that met it, and the next request is served', async () => {
  const { clock, ledger } = pacing()
  const errors = [new Error('disk full')]
  const reserve: typeof ledger.reserve = async (cost) => {
    const error = errors.pop()
    if (error) throw error
    return ledger.reserve(cost)
  }
  const pacer = new Pacer({ clock, ledger: { ...ledger, reserve } })
  await expect(pacer.acquire(patient)).rejects.toThrow('disk full')
  await expect(pacer.acquire(patient)).resolves.toBeDefined()
})

test('a request that waits for another one to end is let go once a learned limit has risen', async () => {
  const took = await timeOf(async ({ clock, pacer, complete }) => {
    const refused = { type: 'answered', status: 429, report: {}, refusedBy: 'burst', holdMs: 1_000 } as const
    await (await pacer.acquire(patient)).complete({ ...refused, at: clock.now() })
    await complete(await pacer.acquire(patient))
    await clock.sleep(11_500)
    // This one never ends.
    await pacer.acquire(patient)
    await pacer.acquire(patient)
  })
  expect(took).toBeGreaterThan(30_000)
  expect(took).toBeLessThan(180_000)
})

test('behind requests of others a wait is refused where it would be too long without them or was, and looked at sooner', async () => {
  const clock = createEventClock(start)
  const asked: number[] = []
  const pacer = new Pacer({
    clock,
    ledger: {
      ...createMemoryLedger(new QuotaModel(), clock),
      async reserve() {
        const now = clock.now()
        asked.push(now - start)
        if (asked.length === 2) return { type: 'granted', id: 'x' }
        const estimate = { at: now + 60_000, soonest: { at: now + 500 }, ...(now === start && { lookAt: now + 2_000 }) }
        return { type: 'denied', verdict: { ...estimate, type: 'later', window: 'burst', source: 'ledger' } }
      },
    },
  })
  await clock.run(pacer.acquire({ ...patient, maxWaitMs: 10_000 }))
  expect(asked).toEqual([0, 2_000])
  const late = pacer.acquire({ ...patient, maxWaitMs: 3_000 })
  await clock.run(expect(late).rejects.toMatchObject({ name: 'WaitTooLongError', wait: { delayMs: 60_000 } }))
  expect(clock.now() - start).toBe(5_000)
})
