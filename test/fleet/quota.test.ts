import { expect, onTestFinished, test } from 'vitest'
import { type Clock, steadyMs, systemClock } from '../../src/clock.ts'
import type { Reservation } from '../../src/pacing/ledger.ts'
import type { PacingOutcome } from '../../src/pacing/pacer.ts'
import type { QuotaRow } from '../../src/pacing/shared/quota-row.ts'
import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import { StoreError } from '../../src/store/store-error.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { redisLedgerOver } from '../helpers/redis-quota.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { linkTo, newKeys } from './link-to-redis.ts'

const roomy: QuotaLimits = { burst: 1_000, minute: 1_000, hour: 100_000, day: 100_000 }

/** Runs of one key on a real server of their own, and a clock on which time can pass at once. */
async function createFleet() {
  const server = await startRedis()
  let skippedMs = 0
  const clock: Clock = {
    now: () => Date.now() + skippedMs,
    monotonic: () => steadyMs(systemClock) + skippedMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  }
  const keys = newKeys()
  const key = (name: string) => keys.find((one) => one.endsWith(`:${name}`)) ?? ''
  const pass = async (ms: number) => {
    skippedMs += ms
    await server.command('HINCRBY', key('state'), 'skew', String(ms))
  }
  function open({ limits = roomy, linkClock = patientClock, patienceMs = 0, loses = (): boolean => false } = {}) {
    const reports: string[] = []
    const link = linkTo(server.url, { keys, clock: linkClock })
    const run = async (script: string, args: readonly string[]) => {
      const answer = await link.run(script, args)
      if (loses()) throw new StoreError('unreachable', 'The answer is lost')
      return answer
    }
    const { quota, session, ledger } = redisLedgerOver({
      link: { run },
      clock,
      limits,
      patienceMs,
      onOutage: ({ failure }) => reports.push(failure),
      onReturn: () => reports.push('back'),
    })
    const settle = (id: string, outcome?: PacingOutcome) =>
      ledger.settle(id, outcome ?? { type: 'answered', at: clock.now(), status: 201, report: {} })
    return {
      ...ledger,
      reports,
      run: session.run,
      settle,
      spend: async (cost: number) => settle(idOf(await ledger.reserve(cost))),
      quota,
    }
  }
  /** What a run sees that has nothing but Redis. */
  async function counted() {
    const { quota } = redisLedgerOver({ link: linkTo(server.url, { keys, clock: patientClock }), clock })
    const rows = await quota.look()
    const ended = new Set(rows.flatMap((row) => (row.type === 'settle' || row.type === 'cancel' ? row.id : [])))
    const underWay = rows.filter((row) => row.type === 'reserve' && !ended.has(row.id))
    return { units: unitsOf(rows), underWay: underWay.length }
  }
  return { server, keys, key, clock, pass, open, counted }
}

/** Units of requests that were not cancelled and were sent. */
function unitsOf(rows: readonly QuotaRow[]): number {
  const unsent = new Set(
    rows.flatMap((row) =>
      row.type === 'cancel' || (row.type === 'settle' && row.outcome.type === 'not-sent') ? row.id : [],
    ),
  )
  return rows.reduce((sum, row) => sum + (row.type === 'reserve' && !unsent.has(row.id) ? row.cost : 0), 0)
}

type Fleet = Awaited<ReturnType<typeof createFleet>>

function idOf(reservation: Reservation): string {
  if (reservation.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(reservation)}`)
  return reservation.id
}

test('many rows become few while others use them, and no unit is forgotten', async () => {
  const { open, pass, server, key } = await createFleet()
  const [one, other] = [open(), open()]
  for (let count = 0; count < 800; count += 1) {
    await (count % 5 === 0 ? other : one).spend(1)
    await pass(15_000)
  }
  expect(Number(await server.command('LLEN', key('rows')))).toBeLessThan(1_500)
  for (const run of [one, other, open()]) {
    await run.spend(1)
    expect(run.windows().day?.used).toBeGreaterThanOrEqual(801)
    expect(run.windows().day?.used).toBeLessThanOrEqual(803)
  }
})

const losses: readonly (readonly [string, (fleet: Fleet) => Promise<unknown>])[] = [
  ['was emptied', ({ server }) => server.command('FLUSHALL')],
  ['has lost its rows', ({ server, key }) => server.command('DEL', key('rows'))],
  ['has lost all but its rows', ({ server, key }) => server.command('DEL', key('state'))],
  ['has another name since', ({ server, key }) => server.command('HSET', key('state'), 'server', 'another')],
]

test.for(losses)(
  'a server that %s is noticed by each run once, which then waits a minute and goes on',
  async ([, lose]) => {
    const fleet = await createFleet()
    const { open, pass, clock } = fleet
    const runs = [open(), open()]
    for (const run of runs) await run.spend(10)
    await lose(fleet)
    for (const run of runs) await expect(run.reserve(1)).rejects.toMatchObject({ failure: 'lost', isPassing: true })
    for (const run of [...runs, open()]) {
      const { verdict } = (await run.reserve(1)) as Extract<Reservation, { type: 'denied' }>
      expect(verdict.window).toBe('minute')
      expect((verdict.at ?? 0) - clock.now()).toBeGreaterThan(55_000)
      await run.withdraw()
    }
    await pass(62_000)
    for (const run of runs) await run.spend(1)
  },
)

test('an older state of the server is noticed by a run that has added rows since', async () => {
  const { open, server, keys } = await createFleet()
  const [one, other] = [open(), open()]
  await one.spend(5)
  await other.spend(6)
  const copied = keys.map((key) => [key, key.replace(':', ':old:')] as const)
  for (const [key, old] of copied) await server.command('COPY', key, old)
  await one.spend(7)
  await server.command('DEL', ...keys)
  for (const [key, old] of copied) await server.command('COPY', old, key)
  await expect(one.reserve(1)).rejects.toMatchObject({ failure: 'lost' })
  await expect(other.reserve(1)).rejects.toMatchObject({ failure: 'lost' })
})

test('units of a run that was not heard of for half a minute count as charged, and again when it settles', async () => {
  const { open, pass } = await createFleet()
  const limits = { ...roomy, burst: 20 }
  const [one, other] = [open({ limits }), open({ limits })]
  const id = idOf(await one.reserve(20))
  expect(await other.reserve(10)).toMatchObject({ type: 'denied', verdict: { at: undefined } })
  await pass(31_000)
  expect(await other.reserve(10)).toMatchObject({
    type: 'denied',
    verdict: { window: 'burst', at: expect.any(Number) },
  })
  await one.settle(id)
  await pass(1_000)
  await other.reserve(10)
  expect(other.windows().hour?.used).toBe(40)
})

test('the time of the quota runs on where the clock of Redis is set back', async () => {
  const { open, server, key, clock } = await createFleet()
  const run = open({ limits: { ...roomy, burst: 20 } })
  await run.spend(20)
  // The same as if TIME had changed.
  await server.command('HINCRBY', key('state'), 'skew', '-3600000')
  const { verdict } = (await run.reserve(10)) as Extract<Reservation, { type: 'denied' }>
  const now = await run.quota.turn((turn) => ({ add: [], result: turn.now }))
  expect(Math.abs(now - clock.now())).toBeLessThan(6_000)
  expect((verdict.at ?? 0) - clock.now()).toBeLessThan(22_000)
})

test('a run waits for a server that is stopped, and notices that it is empty when it is back', async () => {
  const { open, server } = await createFleet()
  const run = open({ patienceMs: 60_000 })
  await run.spend(10)
  await server.kill()
  const reserving = run.reserve(5)
  const ended = expect(reserving).rejects.toMatchObject({ failure: 'lost' })
  await expect.poll(() => run.reports).toEqual(['unreachable'])
  await server.start()
  await ended
  expect(run.reports).toEqual(['unreachable', 'back'])
})

test('a server that stops answering in the middle of a reservation does not count it twice once it answers', async () => {
  const { open, server, counted } = await createFleet()
  const run = open({ linkClock: systemClock, patienceMs: 60_000 })
  await run.spend(10)
  server.freeze()
  // Redis reads it when it answers again.
  const reserving = run.reserve(20)
  await expect.poll(() => run.reports, { timeout: 5_000 }).toEqual(['unreachable'])
  server.thaw()
  await run.settle(idOf(await reserving))
  expect(run.reports).toEqual(['unreachable', 'back'])
  expect(await counted()).toEqual({ units: 30, underWay: 0 })
})

test('a connection that is cut during a reservation or a settlement loses no unit and adds none', async () => {
  const { open, server, counted } = await createFleet()
  const run = open({ patienceMs: 60_000 })
  let units = 0
  for (let round = 1; round <= 10; round += 1) {
    const reserving = run.reserve(round)
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const id = idOf(await reserving)
    const settling = run.settle(id)
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await settling
    units += round
  }
  await run.spend(1)
  expect(await counted()).toEqual({ units: units + 1, underWay: 0 })
})

test.each([
  { type: 'answered', at: 0, status: 201, report: {} },
  { type: 'unanswered', at: 0 },
] as const)('a request that ended $type counts once where the answer to its settlement is lost', async (outcome) => {
  const { open, clock } = await createFleet()
  const losing = new Set<string>()
  const run = open({ patienceMs: 60_000, loses: () => losing.delete('next') })
  const ids = [idOf(await run.reserve(10)), idOf(await run.reserve(20))]
  for (const id of ids) {
    losing.add('next')
    await run.settle(id, { ...outcome, at: clock.now() })
  }
  expect([run.reports, losing.size]).toEqual([['unreachable', 'back', 'unreachable', 'back'], 0])
  for (const one of [run, open()]) {
    await one.reserve(1)
    expect(one.windows().day?.used).toBe(one === run ? 31 : 32)
  }
})

test.for([
  ['that it has no memory', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
  ['that it is a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
] as const)(
  'a server that answers %s refuses at once, and the run goes on when it takes writes again',
  async ([, stop, mend]) => {
    const { open, server, counted } = await createFleet()
    const run = open({ patienceMs: 60_000 })
    onTestFinished(() => run.close())
    await run.spend(10)
    await server.command(...stop)
    await expect(run.reserve(20)).rejects.toMatchObject({ failure: 'refused' })
    await server.command(...mend)
    await run.spend(30)
    expect(await counted()).toEqual({ units: 40, underWay: 0 })
  },
)
