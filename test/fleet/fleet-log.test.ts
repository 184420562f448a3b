import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createFleetHome } from '../../src/pacing/fleet/fleet-home.ts'
import type { Reservation } from '../../src/pacing/ledger.ts'
import type { LedgerLine } from '../../src/pacing/quota-log/ledger-line.ts'
import { createLogLedger } from '../../src/pacing/quota-log/log-ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { redisUrl } from '../helpers/redis-server.ts'
import { linkTo, newKeys } from './link-to-redis.ts'

const roomy: QuotaLimits = { burst: 1_000, minute: 1_000, hour: 10_000, day: 10_000 }

/** The runners of one key, which no other test has, on a real server. */
async function createFleet() {
  const url = await redisUrl()
  const keys = newKeys()
  const open = (limits: Partial<QuotaLimits> = {}) => {
    const link = linkTo(url, { keys, clock: patientClock })
    const createModel = () => createQuotaModel({ limits })
    const { home, ...fleet } = createFleetHome({ link, clock: systemClock, createModel })
    return { link, ...fleet, ...createLogLedger({ clock: systemClock, home }) }
  }
  const admin = linkTo(url, { keys, clock: patientClock })
  onTestFinished(async () => void (await admin.send(['DEL', ...keys])))
  const key = (name: string) => keys.find((one) => one.endsWith(name)) ?? ''
  return { open, key, keys, send: (...command: string[]) => admin.send(command) }
}

type Fleet = Awaited<ReturnType<typeof createFleet>>
type Runner = ReturnType<Fleet['open']>

function idOf(reservation: Reservation): string {
  if (reservation.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(reservation)}`)
  return reservation.id
}

/** Waits while other runners come first. */
async function reserveInTurn(runner: Runner): Promise<Reservation> {
  for (;;) {
    const reservation = await runner.reserve(10, Date.now())
    if (reservation.type !== 'denied' || reservation.verdict.window !== undefined) return reservation
    await runner.changed()
  }
}

async function spend(runner: Runner, cost: number): Promise<void> {
  const id = idOf(await runner.reserve(cost, Date.now()))
  await runner.settle(id, { type: 'answered', at: Date.now(), status: 201, report: {} })
}

async function usedBy(runner: Runner): Promise<number | undefined> {
  await runner.log.read()
  return runner.windows(Date.now()).hour?.used
}

test('two runners share one burst, and the second waits for what the first has used', async () => {
  const fleet = await createFleet()
  const [a, b] = [fleet.open(), fleet.open()]
  await spend(a, 10)
  await spend(b, 10)
  const reservation = await a.reserve(10, Date.now())
  expect(reservation).toMatchObject({ type: 'denied', verdict: { window: 'burst', source: 'ledger' } })
  const at = reservation.type === 'denied' ? (reservation.verdict.at ?? 0) : 0
  expect(at - Date.now()).toBeGreaterThan(9_000)
})

test('of twenty runners that reserve at once only as many succeed as the burst has room for', async () => {
  const fleet = await createFleet()
  const runners = Array.from({ length: 20 }, () => fleet.open())
  const reservations = await Promise.all(runners.map(reserveInTurn))
  expect(reservations.filter(({ type }) => type === 'granted')).toHaveLength(2)
})

test.for(['state', 'log', 'record', 'runners', 'seen', 'contents'])(
  'the fleet counts all units again after Redis has lost the key %s',
  async (name) => {
    const fleet = await createFleet()
    const [a, b] = [fleet.open(roomy), fleet.open(roomy)]
    await spend(a, 30)
    await spend(b, 20)
    await usedBy(a)
    await fleet.send('DEL', fleet.key(name))
    expect([await usedBy(a), await usedBy(b)]).toEqual([50, 50])
    expect(await usedBy(fleet.open(roomy))).toBe(50)
  },
)

test('a log that has expired because no one used the key for days is not lost, and a younger one is', async () => {
  const fleet = await createFleet()
  await spend(fleet.open(roomy), 30)
  const beforeDays = async (days: number) => {
    const last = `${Date.now() - days * 86_400_000}-9`
    await fleet.send('HSET', fleet.key('state'), 'last', last, 'based', last)
    await fleet.send('DEL', fleet.key('log'), fleet.key('base'))
    const fresh = fleet.open(roomy)
    return [await usedBy(fresh), fresh.log.epoch().name]
  }
  const [, epoch] = [await usedBy(fleet.open(roomy)), await fleet.send('HGET', fleet.key('state'), 'epoch')]
  expect(await beforeDays(3)).toEqual([0, epoch])
  expect(await beforeDays(1)).toEqual([0, expect.not.stringMatching(String(epoch))])
})

test('each runner adds what it holds to a server that was restarted empty, and nothing is counted twice', async () => {
  const fleet = await createFleet()
  const runners = Array.from({ length: 5 }, () => fleet.open(roomy))
  for (const [index, runner] of runners.entries()) await spend(runner, index + 1)
  await Promise.all(runners.map(usedBy))
  await fleet.send('DEL', ...fleet.keys)
  expect(await Promise.all(runners.map(usedBy))).toEqual([15, 15, 15, 15, 15])
  expect(await usedBy(fleet.open(roomy))).toBe(15)
})

test('runners notice that an older state of Redis took over, even where a new runner has written since', async () => {
  const fleet = await createFleet()
  const [a, b] = [fleet.open(roomy), fleet.open(roomy)]
  await spend(a, 5)
  await spend(b, 6)
  // Text would break a dump.
  const copied = fleet.keys.map((key) => [key, key.replace(':', ':old:')] as const)
  for (const [key, old] of copied) await fleet.send('COPY', key, old)
  await spend(a, 7)
  await usedBy(b)
  await fleet.send('DEL', ...fleet.keys)
  for (const [key, old] of copied) await fleet.send('COPY', old, key)
  await fleet.send('DEL', ...copied.map(([, old]) => old))
  const fresh = fleet.open(roomy)
  await spend(fresh, 8)
  expect([await usedBy(b), await usedBy(a), await usedBy(fresh)]).toEqual([26, 26, 26])
})

test('runners notice that a server whose clock is behind took over, where other entries have the numbers of theirs', async () => {
  const fleet = await createFleet()
  const [a, fresh] = [fleet.open(roomy), fleet.open(roomy)]
  await spend(a, 5)
  await usedBy(fresh)
  const setClock = (ms: number) => fleet.send('HSET', fleet.key('state'), 'skew', String(ms))
  await setClock(2_000)
  const [, last = ''] = String(await fleet.send('HMGET', fleet.key('state'), 'epoch', 'last')).split(',')
  await spend(a, 7)
  // Its last two entries did not reach the other server.
  const entries = (await fleet.send('XRANGE', fleet.key('log'), '-', last)) as readonly [string, string[]][]
  await fleet.send('DEL', fleet.key('log'))
  for (const [id, fields] of entries) await fleet.send('XADD', fleet.key('log'), id, ...fields)
  await fleet.send('HSET', fleet.key('state'), 'last', last)
  await setClock(0)
  await spend(fresh, 8)
  await setClock(4_000)
  await spend(fresh, 9)
  expect([await usedBy(a), await usedBy(fresh)]).toEqual([29, 29])
})

/** Requests of two units each that ended without an answer. */
function requestsOf({ log }: Runner, count: number): readonly LedgerLine[] {
  const owner = { host: '', boot: '', space: '', pid: 0, start: '' }
  return Array.from({ length: count }).flatMap(() => {
    const id = `${log.runner}.${randomBytes(6).toString('hex')}`
    const outcome = { type: 'unanswered', at: Date.now() } as const
    return [{ type: 'reserve', id, at: Date.now(), cost: 2, owner } as const, { type: 'settle', id, outcome } as const]
  })
}

test('a long log becomes short, and no unit is forgotten', async () => {
  const fleet = await createFleet()
  const large = { burst: null, minute: null, hour: 1_000_000, day: null }
  const [a, before] = [fleet.open(large), fleet.open(large)]
  await usedBy(before)
  await a.log.append(requestsOf(a, 2_300))
  await spend(a, 1)
  expect(Number(await fleet.send('XLEN', fleet.key('log')))).toBeLessThan(100)
  expect([await usedBy(a), await usedBy(before), await usedBy(fleet.open(roomy))]).toEqual([4_601, 4_601, 4_601])
})

test('a runner that is up to date when another one shortens the log keeps no more lines than that one', async () => {
  const fleet = await createFleet()
  const none = { burst: null, minute: null, hour: null, day: null }
  const [a, b] = [fleet.open(none), fleet.open(none)]
  for (let part = 0; part < 9; part += 1) {
    await a.log.append(requestsOf(a, 700))
    await b.log.read()
  }
  expect(a.log.lines().length).toBeLessThan(8_000)
  expect(b.log.lines().length).toBeLessThan(8_000)
  expect([await usedBy(a), await usedBy(b), await usedBy(fleet.open(roomy))]).toEqual([undefined, undefined, 12_600])
})

test('units of a runner that was not heard of for half a minute count as charged, and again when it settles', async () => {
  const fleet = await createFleet()
  const [a, b] = [fleet.open(), fleet.open()]
  const id = idOf(await a.reserve(20, Date.now()))
  expect(await b.reserve(10, Date.now())).toMatchObject({ type: 'denied', verdict: { at: undefined } })
  await fleet.send('ZADD', fleet.key('runners'), String(Date.now() - 31_000), a.log.runner)
  await b.log.read()
  const reservation = await b.reserve(10, Date.now())
  expect(reservation).toMatchObject({ type: 'denied', verdict: { window: 'burst', at: expect.any(Number) } })
  await a.log.read()
  await a.settle(id, { type: 'answered', at: Date.now(), status: 201, report: {} })
  expect(await usedBy(b)).toBe(40)
})

test.for([
  ['that was restarted empty', ({ keys }: Fleet) => keys],
  ['that has lost who is at work', ({ key }: Fleet) => [key('runners')]],
] as const)('a runner that was killed is given up half a minute later by a server %s', async ([, lostBy]) => {
  const fleet = await createFleet()
  const [a, b] = [fleet.open(), fleet.open()]
  await a.reserve(20, Date.now())
  await b.log.read()
  await fleet.send('DEL', ...lostBy(fleet))
  expect(await b.reserve(10, Date.now())).toMatchObject({ type: 'denied' })
  // While it waits for others, it reads the log every two seconds.
  await systemClock.sleep(2_001)
  expect(await b.reserve(10, Date.now())).toMatchObject({ type: 'denied' })
  await fleet.send('ZADD', fleet.key('runners'), 'XX', String(Date.now() - 31_000), a.log.runner)
  await b.log.read()
  expect([[...b.log.lines()].at(-1)?.line, await fleet.send('EXISTS', fleet.key('contents'))]).toEqual([
    { type: 'gone', runner: a.log.runner },
    0,
  ])
})

test.for([
  ['an hour ahead', 3_600_000],
  ['an hour back', -3_600_000],
])('the time of the fleet runs on where the clock of Redis is set %s', async ([, ms]) => {
  const fleet = await createFleet()
  const a = fleet.open()
  await spend(a, 20)
  const before = a.log.now()
  // The same as if TIME had changed.
  await fleet.send('HINCRBY', fleet.key('state'), 'skew', String(ms))
  await a.log.read()
  expect(Math.abs(a.log.now() - before)).toBeLessThan(6_000)
  const reservation = await a.reserve(10, Date.now())
  expect(reservation.type).toBe('denied')
  const at = reservation.type === 'denied' ? (reservation.verdict.at ?? 0) : 0
  expect(at - Date.now()).toBeLessThan(22_000)
})
