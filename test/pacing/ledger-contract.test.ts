import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Clock, steadyMs, systemClock } from '../../src/clock.ts'
import { createCutOffLedgers } from '../../src/fleet/cut-off-ledgers.ts'
import { fleetKeys } from '../../src/fleet/fleet-keys.ts'
import { createFleetLedger } from '../../src/fleet/fleet-ledger.ts'
import { createOutageLedger } from '../../src/fleet/outage-ledger.ts'
import { openRedisLink } from '../../src/fleet/redis-client-link.ts'
import { FleetProblem, type RedisLink } from '../../src/fleet/redis-link.ts'
import type { Ledger, Reservation } from '../../src/pacing/ledger.ts'
import { createMemoryLedger } from '../../src/pacing/memory-ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { createSharedLedger } from '../../src/pacing/shared-ledger/shared-ledger.ts'
import { type QuotaLimits, windowLengthMs, windowNames } from '../../src/protocol/rate-limits.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { redisUrl } from '../helpers/redis-server.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** One ledger of a key, as several clients of it may use it at a time. */
interface Bench {
  readonly clock: Clock
  readonly pass: (ms: number) => Promise<void>
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
  const ledger = createMemoryLedger(createQuotaModel({ limits }), time.clock)
  return { ...time, client: () => ledger }
}

function inFile(limits: Limits): Bench {
  const time = skippingClock()
  const account = { folder: temporaryFolder(), baseUrl: 'http://127.0.0.1:1', apiKey: 'key', limits }
  return { ...time, client: () => createSharedLedger({ ...account, clock: time.clock }) }
}

function inRedis(url: string, limits: Limits, delayMs: number): Bench {
  const time = skippingClock()
  const keys = fleetKeys(randomBytes(8).toString('hex'))
  const connect = () => {
    const link = openRedisLink({ url, keys, clock: patientClock })
    onTestFinished(() => link.close())
    return link
  }
  const key = (name: string) => keys.find((one) => one.endsWith(name)) ?? ''
  const admin = connect()
  onTestFinished(async () => void (await admin.send(['DEL', ...keys])))
  return {
    clock: time.clock,
    async pass(ms) {
      await time.pass(ms)
      // The same as if the server's clock had gone on, and the runners had been heard of.
      await admin.send(['HINCRBY', key('state'), 'skew', String(Math.ceil(ms))])
      const runners = await admin.send(['ZRANGE', key('runners'), '0', '-1'])
      for (const runner of [runners].flat()) {
        await admin.send(['ZINCRBY', key('runners'), String(Math.ceil(ms)), String(runner)])
      }
    },
    client: () => clientOf(slower(connect(), delayMs), time.clock, limits),
  }
}

function clientOf(link: RedisLink, clock: Clock, limits: Limits): Ledger {
  const createModel = () => createQuotaModel({ limits })
  const fleet = createFleetLedger({ link, clock, createModel, isUnlimited: false })
  const alone = { folder: undefined, assumedRunners: 1, onProblem: fail }
  const cutOff = createCutOffLedgers({ clock, createModel, runner: fleet.runner, ...alone })
  return createOutageLedger({ fleet, cutOff, clock, onProblem: fail, onReturn: fail })
}

function fail(problem?: unknown): never {
  throw problem ?? new Error('unexpected')
}

function slower(link: RedisLink, ms: number): RedisLink {
  if (ms === 0) return link
  return {
    ...link,
    async run(script, args) {
      await systemClock.sleep(ms / 2)
      const answer = await link.run(script, args)
      await systemClock.sleep(ms / 2)
      return answer
    },
  }
}

/** Redis is never reached, and the clients of one machine count in its folder. */
function cutOff(limits: Limits): Bench {
  const time = skippingClock()
  const { clock } = time
  const folder = temporaryFolder()
  const createModel = () => createQuotaModel({ limits })
  const gone = async () => {
    throw new FleetProblem('unreachable', 'Redis cannot be reached')
  }
  return {
    ...time,
    client() {
      const link: RedisLink = { run: gone, send: gone, close() {} }
      const fleet = createFleetLedger({ link, clock, createModel, isUnlimited: false })
      const alone = { folder, assumedRunners: 1, onProblem: fail }
      const ledgers = createCutOffLedgers({ clock, createModel, runner: fleet.runner, ...alone })
      return createOutageLedger({ fleet, cutOff: ledgers, clock, onProblem() {}, onReturn: fail })
    },
  }
}

/** Opens ledgers for one test. */
type Opening = () => Promise<(limits: Limits) => Bench>

function onServer(delayMs: number): Opening {
  return async () => {
    const url = await redisUrl()
    return (limits) => inRedis(url, limits, delayMs)
  }
}

const ledgers: readonly (readonly [string, Opening])[] = [
  ['in memory', async () => inMemory],
  ['in a file', async () => inFile],
  ['in Redis', onServer(0)],
  ['in a Redis 4 ms away', onServer(4)],
  ['of runners that cannot reach Redis', async () => cutOff],
]

const none: QuotaLimits = { burst: null, minute: null, hour: null, day: null }

function granted(reservation: Reservation): string {
  if (reservation.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(reservation)}`)
  return reservation.id
}

function denied(reservation: Reservation) {
  if (reservation.type !== 'denied') throw new Error(`not denied: ${JSON.stringify(reservation)}`)
  return reservation.verdict
}

describe.each(ledgers)('a ledger %s', (_name, open) => {
  test('grants requests while all windows have room, and then says which window has room when', async () => {
    const { client, clock, pass } = (await open())({ ...none, burst: 20 })
    const [a, b] = [client(), client()]
    for (const ledger of [a, b]) {
      const id = granted(await ledger.reserve(10, clock.now()))
      await ledger.settle(id, { type: 'answered', at: clock.now(), status: 201, report: {} })
    }
    const { at = 0, window, source } = denied(await a.reserve(10, clock.now()))
    expect({ window, source }).toEqual({ window: 'burst', source: 'ledger' })
    expect(at - clock.now()).toBeGreaterThan(9_000)
    await pass(at - clock.now() + 1)
    granted(await a.reserve(10, clock.now()))
  })

  test('returns the room of a request that was not sent, and keeps that of one without an answer', async () => {
    const { client, clock } = (await open())({ ...none, minute: 20 })
    const [a, b] = [client(), client()]
    await a.settle(granted(await a.reserve(20, clock.now())), { type: 'not-sent' })
    await b.settle(granted(await b.reserve(20, clock.now())), { type: 'unanswered', at: clock.now() })
    expect(denied(await a.reserve(1, clock.now())).window).toBe('minute')
  })

  test('tells a wait that depends on a request under way of its end', async () => {
    const { client, clock } = (await open())({ ...none, minute: 20 })
    const ledger = client()
    const id = granted(await ledger.reserve(20, clock.now()))
    expect(denied(await ledger.reserve(10, clock.now())).at).toBeUndefined()
    const changed = ledger.changed()
    await ledger.settle(id, { type: 'not-sent' })
    await changed
    granted(await ledger.reserve(10, clock.now()))
  })

  test('ends a wait with the reason of its signal', async () => {
    const { client, clock } = (await open())({ ...none, minute: 10 })
    const ledger = client()
    granted(await ledger.reserve(10, clock.now()))
    denied(await ledger.reserve(10, clock.now()))
    const end = new AbortController()
    const changed = ledger.changed(end.signal)
    end.abort(new Error('enough'))
    await expect(changed).rejects.toThrow('enough')
    await expect(ledger.changed(end.signal)).rejects.toThrow('enough')
  })

  test('holds all requests back until the Retry-After of a refusal is over', async () => {
    const { client, clock, pass } = (await open())({ ...none, hour: 1_000 })
    const [a, b] = [client(), client()]
    const id = granted(await a.reserve(10, clock.now()))
    const refusal = { type: 'answered', status: 429, report: {}, refusedBy: 'hour', holdMs: 100_000 } as const
    await a.settle(id, { ...refusal, at: clock.now() })
    const { at = 0, window, source } = denied(await b.reserve(1, clock.now()))
    expect({ window, source }).toEqual({ window: 'hour', source: 'retry-after' })
    expect(at - clock.now()).toBeGreaterThan(99_000)
    await pass(at - clock.now() + 10)
    granted(await b.reserve(1, clock.now()))
  })

  test('says that a request dearer than a limit never fits', async () => {
    const { client, clock } = (await open())({ ...none, minute: 5 })
    const reason = { window: 'minute', units: 10, limit: 5, reserve: 0 }
    expect(await client().reserve(10, clock.now())).toEqual({ type: 'never', reason })
  })

  test('shows what is used and what is left of each window', async () => {
    const { client, clock } = (await open())({ ...none, minute: 60, hour: 1_000 })
    const ledger = client()
    expect(ledger.windows(clock.now()).minute).toMatchObject({ limit: 60, used: 0, remaining: 60 })
    granted(await ledger.reserve(10, clock.now()))
    const windows = ledger.windows(clock.now())
    expect(Object.keys(windows)).toEqual(['minute', 'hour'])
    expect(windows.minute).toMatchObject({ limit: 60, used: 10, remaining: 50 })
    expect(Math.abs((windows.minute?.fitsAt.upload ?? 0) - clock.now())).toBeLessThan(5_000)
  })

  test('counts a request once that is settled twice, and none for an unknown id', async () => {
    const { client, clock } = (await open())({ ...none, minute: 60 })
    const ledger = client()
    const id = granted(await ledger.reserve(10, clock.now()))
    await ledger.settle(id, { type: 'unanswered', at: clock.now() })
    await ledger.settle(id, { type: 'not-sent' })
    await ledger.settle('unknown', { type: 'unanswered', at: clock.now() })
    expect(ledger.windows(clock.now()).minute?.used).toBe(10)
  })
})

interface Step {
  readonly client: number
  readonly does: 'reserve' | 'settle' | 'pass'
  readonly cost: number
  readonly ms: number
}

const step: fc.Arbitrary<Step> = fc.record({
  client: fc.nat({ max: 3 }),
  does: fc.constantFrom('reserve', 'reserve', 'reserve', 'settle', 'settle', 'pass'),
  cost: fc.constantFrom(1, 3, 10),
  ms: fc.constantFrom(2_000, 11_000, 61_000, 3_600_000),
})

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
    const reservation = await ledger.reserve(cost, from)
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
