import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Clock, steadyMs, systemClock } from '../../src/clock.ts'
import type { Ledger } from '../../src/pacing/ledger.ts'
import { QuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { createSharedLedger } from '../../src/pacing/shared/shared-ledger.ts'
import { createMemoryLedger } from '../../src/pacing/shared/store-ledger.ts'
import { type QuotaLimits, windowLengthMs, windowNames } from '../../src/protocol/rate-limits.ts'
import { RedisConnection } from '../../src/store/redis/connection.ts'
import { accountKeys } from '../../src/store/redis/session.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { redisLedgerOver } from '../helpers/redis-quota.ts'
import { redisUrl } from '../helpers/redis-server.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** One ledger of a key, as several clients of it may use it at a time. */
interface Bench extends ReturnType<typeof skippingClock> {
  readonly client: () => Ledger
}

/** Real time, and more of it whenever a test wants. */
function skippingClock() {
  let skippedMs = 0
  const clock: Clock = {
    now: () => Date.now() + skippedMs,
    monotonic: () => steadyMs(systemClock) + skippedMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  }
  const pass = async (ms: number) => {
    skippedMs += Math.ceil(ms)
  }
  return { clock, pass }
}

type Limits = Partial<QuotaLimits>

function inMemory(limits: Limits): Bench {
  const time = skippingClock()
  const ledger = createMemoryLedger(new QuotaModel({ limits }), time.clock)
  return { ...time, client: () => ledger }
}

function inFile(limits: Limits): Bench {
  const time = skippingClock()
  const account = { folder: temporaryFolder(), baseUrl: 'http://127.0.0.1:1', apiKey: 'key', limits }
  return { ...time, client: () => createSharedLedger({ ...account, clock: time.clock }) }
}

const passing = `
  for _, run in ipairs(redis.call('HKEYS', KEYS[3])) do redis.call('HINCRBY', KEYS[3], run, ARGV[1]) end
  return redis.call('HINCRBY', KEYS[1], 'skew', ARGV[1])`

function inRedis(url: string, limits: Limits, delayMs: number): Bench {
  const time = skippingClock()
  const keys = accountKeys(randomBytes(8).toString('hex'))
  const connect = () => {
    const link = new RedisConnection({ url, keys, clock: patientClock })
    onTestFinished(() => link.close())
    return link
  }
  const admin = connect()
  onTestFinished(async () => void (await admin.run("return redis.call('DEL', unpack(KEYS))", [])))
  return {
    clock: time.clock,
    async pass(ms) {
      await time.pass(ms)
      // The same as if the server's clock had gone on, and the runs had been heard of.
      await admin.run(passing, [String(Math.ceil(ms))])
    },
    client: () => redisLedgerOver({ link: slower(connect(), delayMs), clock: time.clock, limits }).ledger,
  }
}

function slower(link: RedisConnection, ms: number): Pick<RedisConnection, 'run'> {
  if (ms === 0) return link
  return {
    async run(script, args) {
      await systemClock.sleep(ms / 2)
      const answer = await link.run(script, args)
      await systemClock.sleep(ms / 2)
      return answer
    },
  }
}

const onServer = (delayMs: number) => async () => {
  const url = await redisUrl()
  return (limits: Limits) => inRedis(url, limits, delayMs)
}

/** Each opens ledgers for one test. */
const ledgers: readonly (readonly [string, () => Promise<(limits: Limits) => Bench>])[] = [
  ['in memory', async () => inMemory],
  ['in a file', async () => inFile],
  ['in Redis', onServer(0)],
  ['in a Redis 4 ms away', onServer(4)],
]

const none: QuotaLimits = { burst: null, minute: null, hour: null, day: null }

/** Two clients of one ledger that has these limits only. */
async function openedBy(open: (typeof ledgers)[number][1], limits: Limits) {
  const { client, clock, pass } = (await open())({ ...none, ...limits })
  const [one, other] = [client(), client()]
  const grant = async (ledger: Ledger, cost: number) => {
    const reservation = await ledger.reserve(cost)
    if (reservation.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(reservation)}`)
    return reservation.id
  }
  const deny = async (ledger: Ledger, cost: number) => {
    const reservation = await ledger.reserve(cost)
    if (reservation.type !== 'denied') throw new Error(`not denied: ${JSON.stringify(reservation)}`)
    return reservation.verdict
  }
  return { one, other, grant, deny, clock, pass }
}

describe.each(ledgers.slice(1))('requests of several processes that wait on a ledger %s', (_name, open) => {
  /** The burst is used up, and the other process waits for this much of it, then one for ten units. */
  async function waiting(burst: number, cost: number) {
    const { one, other, grant, deny, clock, pass } = await openedBy(open, { burst })
    await one.settle(await grant(one, burst), { type: 'answered', at: clock.now(), status: 201, report: {} })
    await deny(other, cost)
    await deny(one, 10)
    return { one, other, grant, deny, clock, pass }
  }

  test('are granted in the order in which they began to wait', async () => {
    const { one, other, grant, deny, pass } = await waiting(10, 10)
    await pass(30_000)
    await deny(one, 10)
    await pass(1_000)
    await grant(other, 10)
  })

  test('pass one that does not come within two seconds', async () => {
    const { one, grant, deny, pass } = await waiting(10, 10)
    await pass(30_000)
    await deny(one, 10)
    await pass(2_001)
    await grant(one, 10)
  })

  test('keep their turn where one that was passed takes its place again', async () => {
    const { one, other, grant, deny, clock, pass } = await waiting(10, 10)
    await pass(30_000)
    await deny(one, 10)
    await pass(2_001)
    await one.settle(await grant(one, 10), { type: 'answered', at: clock.now(), status: 201, report: {} })
    await deny(other, 10)
    await pass(30_000)
    await deny(one, 10)
    await grant(other, 10)
  })

  test('go before one that asks after them, and would fit in what they need', async () => {
    const { one, other, grant, deny, clock } = await openedBy(open, { burst: 20 })
    await one.settle(await grant(one, 15), { type: 'answered', at: clock.now(), status: 201, report: {} })
    await deny(other, 10)
    expect(await deny(one, 1)).toMatchObject({ soonest: {} })
  })

  test('need not wait for those before them where there is room beside these', async () => {
    const { one, other, grant, pass } = await waiting(20, 10)
    await pass(30_000)
    await grant(one, 10)
    await grant(other, 10)
  })

  test('are not held back by one that was withdrawn', async () => {
    const { one, other, grant, pass } = await waiting(10, 10)
    await other.withdraw?.()
    await pass(30_000)
    await grant(one, 10)
  })
})

describe.each(ledgers)('a ledger %s', (_name, open) => {
  const opened = (limits: Limits) => openedBy(open, limits)

  test('grants requests while all windows have room, and then says which window has room when', async () => {
    const { one, other, grant, deny, clock, pass } = await opened({ burst: 20 })
    for (const ledger of [one, other]) {
      await ledger.settle(await grant(ledger, 10), { type: 'answered', at: clock.now(), status: 201, report: {} })
    }
    const { at = 0, window, source } = await deny(one, 10)
    expect({ window, source }).toEqual({ window: 'burst', source: 'ledger' })
    expect(at - clock.now()).toBeGreaterThan(9_000)
    await pass(at - clock.now() + 1)
    await grant(one, 10)
  })

  test('returns the room of a request that was not sent, and keeps that of one without an answer', async () => {
    const { one, other, grant, deny, clock } = await opened({ minute: 20 })
    await one.settle(await grant(one, 20), { type: 'not-sent' })
    await other.settle(await grant(other, 20), { type: 'unanswered', at: clock.now() })
    expect((await deny(one, 1)).window).toBe('minute')
  })

  test('tells a wait that depends on a request under way of its end', async () => {
    const { one, grant, deny } = await opened({ minute: 20 })
    const id = await grant(one, 20)
    expect((await deny(one, 10)).at).toBeUndefined()
    const changed = one.changed()
    await one.settle(id, { type: 'not-sent' })
    await changed
    await grant(one, 10)
  })

  test('ends a wait with the reason of its signal', async () => {
    const { one, grant, deny } = await opened({ minute: 10 })
    await grant(one, 10)
    await deny(one, 10)
    const end = new AbortController()
    const changed = one.changed(end.signal)
    end.abort(new Error('enough'))
    await expect(changed).rejects.toThrow('enough')
    await expect(one.changed(end.signal)).rejects.toThrow('enough')
  })

  test('holds all requests back until the Retry-After of a refusal is over', async () => {
    const { one, other, grant, deny, clock, pass } = await opened({ hour: 1_000 })
    const refusal = { type: 'answered', status: 429, report: {}, refusedBy: 'hour', holdMs: 100_000 } as const
    await one.settle(await grant(one, 10), { ...refusal, at: clock.now() })
    const { at = 0, window, source } = await deny(other, 1)
    expect({ window, source }).toEqual({ window: 'hour', source: 'retry-after' })
    expect(at - clock.now()).toBeGreaterThan(99_000)
    await pass(at - clock.now() + 10)
    await grant(other, 1)
  })

  test('says that a request dearer than a limit never fits', async () => {
    const { one } = await opened({ minute: 5 })
    const reason = { window: 'minute', units: 10, limit: 5 }
    expect(await one.reserve(10)).toEqual({ type: 'never', reason })
  })

  test('shows what is used and left of each window, and counts a request once that is settled twice', async () => {
    const { one, grant, clock } = await opened({ minute: 60, hour: 1_000 })
    const minute = () => one.windows().minute
    expect(minute()).toMatchObject({ limit: 60, used: 0, remaining: 60 })
    const id = await grant(one, 10)
    expect(Object.keys(one.windows())).toEqual(['minute', 'hour'])
    expect(minute()).toMatchObject({ limit: 60, used: 10, remaining: 50 })
    expect(Math.abs((minute()?.fitsAt.upload ?? 0) - clock.now())).toBeLessThan(5_000)
    await one.settle(id, { type: 'unanswered', at: clock.now() })
    await one.settle(id, { type: 'not-sent' })
    await one.settle('unknown', { type: 'unanswered', at: clock.now() })
    expect(minute()?.used).toBe(10)
  })
})

/** A client reserves, or a request is settled; after some, time passes. */
const step = fc.record({
  client: fc.nat({ max: 3 }),
  does: fc.constantFrom('reserve', 'reserve', 'reserve', 'settle', 'settle', 'pass'),
  cost: fc.constantFrom(1, 3, 10),
  ms: fc.constantFrom(2_000, 11_000, 61_000, 3_600_000),
})

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Charge {
  readonly from: number
  to: number
  readonly cost: number
}

const limits: QuotaLimits = { burst: 20, minute: 40, hour: 100, day: 200 }

/** Clients that reserve at the same time, and settle in any order. */
async function play(steps: readonly Step[], { client, clock, pass }: Bench): Promise<readonly Charge[]> {
  const clients = Array.from({ length: 4 }, client)
  const charges: Charge[] = []
  const underWay: { readonly id: string; readonly ledger: Ledger; readonly charge: Charge }[] = []
  let running: Promise<void>[] = []

  async function reserve(ledger: Ledger, cost: number): Promise<void> {
    const from = clock.now()
    const reservation = await ledger.reserve(cost)
    if (reservation.type !== 'granted') return
    const charge = { from, to: Number.POSITIVE_INFINITY, cost }
    charges.push(charge)
    underWay.push({ id: reservation.id, ledger, charge })
  }

  async function settle(index: number): Promise<void> {
    const [request] = underWay.splice(index % Math.max(underWay.length, 1), 1)
    if (request === undefined) return
    request.charge.to = clock.now()
    await request.ledger.settle(request.id, { type: 'answered', at: clock.now(), status: 200, report: {} })
  }

  for (const { client: index, does, cost, ms } of steps) {
    const ledger = clients[index]
    if (does === 'reserve' && ledger) running.push(reserve(ledger, cost))
    else if (does === 'settle') running.push(settle(index))
    else {
      await Promise.all(running)
      running = []
      await pass(ms)
    }
  }
  await Promise.all(running)
  return charges
}

describe.each(ledgers)('a ledger %s', takesLong(60, 'hundreds of calls on a real server'), (_name, open) => {
  test('never grants more than a window allows, in any order of the clients', async () => {
    const openBench = await open()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const charges = await play(steps, openBench(limits))
        for (const name of windowNames) {
          for (const { to: at } of charges.filter(({ to }) => to < Number.POSITIVE_INFINITY)) {
            const counted = charges.filter(({ from, to }) => from <= at && to > at - windowLengthMs[name])
            const units = counted.reduce((sum, { cost }) => sum + cost, 0)
            expect(units).toBeLessThanOrEqual(limits[name] ?? 0)
          }
        }
      }),
      { numRuns: 10, endOnFailure: true },
    )
  })
})
