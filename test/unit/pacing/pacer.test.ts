import { expect, test } from 'vitest'
import { createPacer } from '../../../src/pacing/create-pacer.ts'
import { createMemoryLedger } from '../../../src/pacing/memory-ledger.ts'
import type { PacingTicket, PacingWait } from '../../../src/pacing/pacer.ts'
import { createQuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import { createEventClock } from '../../pacing/simulation/event-clock.ts'

const start = Date.parse('2026-11-20T12:00:00Z')
const patient = { cost: 10, maxWaitMs: Number.POSITIVE_INFINITY }

function pacing() {
  const clock = createEventClock(start)
  const pacer = createPacer({ clock, ledger: createMemoryLedger(createQuotaModel()) })
  const settle = (ticket: PacingTicket, status = 201, holdMs?: number) =>
    ticket.settle({ type: 'answered', at: clock.now(), status, report: { serverNow: clock.now() }, holdMs })
  return { clock, pacer, settle }
}

test('a small request does not overtake a large one', async () => {
  const { clock, pacer, settle } = pacing()
  const order: string[] = []
  const work = async () => {
    for (const _ of [1, 2]) await settle(await pacer.acquire(patient))
    const large = pacer.acquire(patient).then(() => order.push('large'))
    const small = pacer.acquire({ ...patient, cost: 1 }).then(() => order.push('small'))
    await Promise.all([large, small])
  }
  await clock.run(work())
  expect(order).toEqual(['large', 'small'])
})

test('a wait is told once, with its window, source and length', async () => {
  const { clock, pacer, settle } = pacing()
  const waits: PacingWait[] = []
  const work = async () => {
    const ticket = await pacer.acquire(patient)
    await settle(ticket, 503, 200_000)
    await pacer.acquire({ ...patient, onWait: (wait) => waits.push(wait) })
  }
  await clock.run(work())
  expect(waits).toEqual([{ window: undefined, source: 'unavailable', delayMs: 200_250 }])
  expect(clock.now() - start).toBe(200_250)
})

test('a wait longer than allowed is refused at once, for those behind the first as well', async () => {
  const { clock, pacer, settle } = pacing()
  const work = async () => {
    for (const _ of [1, 2]) await settle(await pacer.acquire(patient))
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

test('a wait of unknown length is borne for as long as allowed', async () => {
  const { clock, pacer } = pacing()
  const work = async () => {
    for (const _ of [1, 2]) await pacer.acquire(patient)
    await expect(pacer.acquire({ ...patient, maxWaitMs: 90_000 })).rejects.toThrow('may be sent')
  }
  await clock.run(work())
  expect(clock.now() - start).toBe(90_000)
})

test('what is under way wakes the first in the queue when it is settled', async () => {
  const { clock, pacer } = pacing()
  const work = async () => {
    const tickets = [await pacer.acquire(patient), await pacer.acquire(patient)]
    const third = pacer.acquire(patient)
    await clock.sleep(1_000)
    await tickets[0]?.settle({ type: 'not-sent' })
    await third
  }
  await clock.run(work())
  expect(clock.now() - start).toBe(1_000)
})

test('an abort leaves the queue to the others and holds no units', async () => {
  const { clock, pacer, settle } = pacing()
  const work = async () => {
    for (const _ of [1, 2]) await settle(await pacer.acquire(patient))
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

test('nobody sleeps for longer than a minute without asking again', async () => {
  const { clock, pacer, settle } = pacing()
  const sleeps: number[] = []
  const watched = {
    now: clock.now,
    sleep: (ms: number, signal?: AbortSignal) => {
      sleeps.push(ms)
      return clock.sleep(ms, signal)
    },
  }
  const asking = createPacer({ clock: watched, ledger: createMemoryLedger(createQuotaModel()) })
  const work = async () => {
    await settle(await asking.acquire(patient), 503, 1_000_000)
    await asking.acquire(patient)
  }
  await clock.run(work())
  expect(Math.max(...sleeps)).toBe(60_000)
  expect(pacer.windows().day?.used).toBe(0)
})

test('a ledger that fails fails the request that asked it, and serves the next', async () => {
  const { clock } = pacing()
  const ledger = createMemoryLedger(createQuotaModel())
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
