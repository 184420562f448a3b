import { expect, test } from 'vitest'
import { createPacer } from '../../../src/pacing/create-pacer.ts'
import { createMemoryLedger } from '../../../src/pacing/memory-ledger.ts'
import type { PacingPermit, PacingWait } from '../../../src/pacing/pacer.ts'
import { createQuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import { createEventClock } from '../../pacing/simulation/event-clock.ts'

const start = Date.parse('2026-11-20T12:00:00Z')
const patient = { cost: 10, maxWaitMs: Number.POSITIVE_INFINITY }

function pacing() {
  const clock = createEventClock(start)
  const pacer = createPacer({ clock, ledger: createMemoryLedger(createQuotaModel(), clock) })
  const complete = (permit: PacingPermit, status = 201, holdMs?: number) =>
    permit.complete({ type: 'answered', at: clock.now(), status, report: { serverNow: clock.now() }, holdMs })
  return { clock, pacer, complete }
}

test('a small request does not overtake a large one', async () => {
  const { clock, pacer, complete } = pacing()
  const order: string[] = []
  const work = async () => {
    for (const _ of [1, 2]) await complete(await pacer.acquire(patient))
    const large = pacer.acquire(patient).then(() => order.push('large'))
    const small = pacer.acquire({ ...patient, cost: 1 }).then(() => order.push('small'))
    await Promise.all([large, small])
  }
  await clock.run(work())
  expect(order).toEqual(['large', 'small'])
})

test('a wait that ends at maxWaitMs is waited, and announced once, with its window, source and length', async () => {
  const { clock, pacer, complete } = pacing()
  const waits: PacingWait[] = []
  const work = async () => {
    const permit = await pacer.acquire(patient)
    await complete(permit, 503, 200_000)
    await pacer.acquire({ ...patient, maxWaitMs: 200_250, onWait: (wait) => waits.push(wait) })
  }
  await clock.run(work())
  expect(waits).toEqual([{ window: undefined, source: 'unavailable', delayMs: 200_250 }])
  expect(clock.now() - start).toBe(200_250)
})

test('a request whose maxWaitMs is too short is rejected at once, also behind the first in the queue', async () => {
  const { clock, pacer, complete } = pacing()
  const work = async () => {
    for (const _ of [1, 2]) await complete(await pacer.acquire(patient))
    const first = pacer.acquire(patient)
    const second = pacer.acquire({ ...patient, maxWaitMs: 5_000 })
    await expect(second).rejects.toMatchObject({
      name: 'WaitTooLongError',
      wait: { window: 'burst', source: 'ledger' },
    })
    expect(clock.now()).toBe(start)
    await first
  }
  await clock.run(work())
})

test('a wait of unknown length is rejected after maxWaitMs', async () => {
  const { clock, pacer } = pacing()
  const work = async () => {
    for (const _ of [1, 2]) await pacer.acquire(patient)
    await expect(pacer.acquire({ ...patient, maxWaitMs: 90_000 })).rejects.toThrow('may be sent')
  }
  await clock.run(work())
  expect(clock.now() - start).toBe(90_000)
})

test('a request that ends wakes the first in the queue', async () => {
  const { clock, pacer } = pacing()
  const work = async () => {
    const permits = [await pacer.acquire(patient), await pacer.acquire(patient)]
    const third = pacer.acquire(patient)
    await clock.sleep(1_000)
    await permits[0]?.complete({ type: 'not-sent' })
    await third
  }
  await clock.run(work())
  expect(clock.now() - start).toBe(1_000)
})

test('a request that ends between a denial and the wait for such an end is not missed', async () => {
  const ledger = createMemoryLedger(createQuotaModel(), createEventClock(start))
  const types = []
  for (const _ of [1, 2, 3]) types.push((await ledger.reserve(10, start)).type)
  expect(types).toEqual(['granted', 'granted', 'denied'])
  await ledger.settle('1', { type: 'not-sent' })
  const later = new Promise((resolve) => setImmediate(resolve, 'later'))
  expect(await Promise.race([ledger.changed().then(() => 'at once'), later])).toBe('at once')
})

test('an aborted request leaves the queue and holds no units', async () => {
  const { clock, pacer, complete } = pacing()
  const work = async () => {
    for (const _ of [1, 2]) await complete(await pacer.acquire(patient))
    const gone = new AbortController()
    const aborted = pacer.acquire({ ...patient, signal: gone.signal })
    const next = pacer.acquire(patient)
    await clock.sleep(1_000)
    gone.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    await next
    await expect(pacer.acquire({ ...patient, signal: gone.signal })).rejects.toThrow('enough')
    expect(pacer.windows().minute?.used).toBe(30)
  }
  await clock.run(work())
})

test('a request that is aborted while the ledger is asked holds no units', async () => {
  const { pacer } = pacing()
  const gone = new AbortController()
  const aborted = pacer.acquire({ ...patient, signal: gone.signal })
  gone.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  expect(pacer.windows().minute?.used).toBe(0)
})

test('a small request goes at once when the large one in front of it is aborted', async () => {
  const { clock, pacer, complete } = pacing()
  const work = async () => {
    await complete(await pacer.acquire({ ...patient, cost: 15 }))
    const gone = new AbortController()
    const large = pacer.acquire({ ...patient, signal: gone.signal })
    const small = pacer.acquire({ ...patient, cost: 1 })
    await clock.sleep(1_000)
    gone.abort(new Error('enough'))
    await expect(large).rejects.toThrow('enough')
    await small
  }
  await clock.run(work())
  expect(clock.now() - start).toBe(1_000)
})

test('a wait asks the ledger at least once a minute', async () => {
  const { clock, pacer, complete } = pacing()
  const sleeps: number[] = []
  const watched = {
    now: clock.now,
    sleep: (ms: number, signal?: AbortSignal) => {
      sleeps.push(ms)
      return clock.sleep(ms, signal)
    },
  }
  const asking = createPacer({ clock: watched, ledger: createMemoryLedger(createQuotaModel(), clock) })
  const work = async () => {
    await complete(await asking.acquire(patient), 503, 1_000_000)
    await asking.acquire(patient)
  }
  await clock.run(work())
  expect(Math.max(...sleeps)).toBe(60_000)
  expect(pacer.windows().day?.used).toBe(0)
})

test('a ledger error rejects the request that met it, and the next request is served', async () => {
  const { clock } = pacing()
  const ledger = createMemoryLedger(createQuotaModel(), clock)
  let broken = true
  const reserve: typeof ledger.reserve = async (cost, now) => {
    if (broken) throw new Error('disk full')
    return ledger.reserve(cost, now)
  }
  const pacer = createPacer({ clock, ledger: { ...ledger, reserve } })
  await expect(pacer.acquire(patient)).rejects.toThrow('disk full')
  broken = false
  await expect(pacer.acquire(patient)).resolves.toBeDefined()
})

test('a request that waits for another one to end is let go once a learned limit has risen', async () => {
  const { clock, pacer } = pacing()
  const work = async () => {
    const refused = { type: 'answered', status: 429, report: {}, refusedBy: 'burst', holdMs: 1_000 } as const
    await (await pacer.acquire(patient)).complete({ ...refused, at: clock.now() })
    const probe = await pacer.acquire(patient)
    await probe.complete({ type: 'answered', at: clock.now(), status: 201, report: {} })
    await clock.sleep(11_500)
    // This one never ends.
    await pacer.acquire(patient)
    await pacer.acquire(patient)
  }
  await clock.run(work())
  const minutes = (clock.now() - start) / 60_000
  expect(minutes).toBeGreaterThan(0.5)
  expect(minutes).toBeLessThan(3)
})
