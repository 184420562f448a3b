import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Clock, steadyMs, systemClock } from '../../src/clock.ts'
import { createFleetHome } from '../../src/pacing/fleet/fleet-home.ts'
import { createLogLedger } from '../../src/pacing/quota-log/log-ledger.ts'
import { foldLedger } from '../../src/pacing/quota-log/ledger-file.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { linkTo, newKeys } from './link-to-redis.ts'

const limits = { burst: 1_000, minute: 1_000, hour: 10_000, day: 10_000 }

/** Runners of one key on a real server of their own, and a clock on which time can pass at once. */
async function createFleet() {
  const server = await startRedis()
  let skippedMs = 0
  const clock: Clock = {
    now: () => Date.now() + skippedMs,
    monotonic: () => steadyMs(systemClock) + skippedMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  }
  const keys = newKeys()
  const pass = async (ms: number) => {
    skippedMs += ms
    await server.command('HINCRBY', keys.find((key) => key.endsWith('state')) ?? '', 'skew', String(ms))
  }
  function open({ linkClock = patientClock, folder }: { linkClock?: Clock; folder?: string } = {}) {
    const link = linkTo(server.url, { keys, clock: linkClock })
    const told: string[] = []
    const { home } = createFleetHome({
      link,
      clock,
      createModel: () => createQuotaModel({ limits }),
      folder,
      onProblem: (reason) => told.push(reason),
      onOutage: ({ kind }) => told.push(kind),
      onReturn: () => told.push('back'),
    })
    const ledger = createLogLedger({ clock, home })
    const reserve = async (cost: number) => {
      const reservation = await ledger.reserve(cost, clock.now())
      if (reservation.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(reservation)}`)
      return reservation.id
    }
    // After a loss a runner rests, so that the others can tell what they know.
    async function spendAfterRest(cost: number) {
      const asked = await ledger.reserve(cost, clock.now())
      if (asked.type === 'denied') await pass(16_000)
      await settle(asked.type === 'granted' ? asked.id : await reserve(cost))
    }
    const settle = (id: string) => ledger.settle(id, { type: 'answered', at: clock.now(), status: 201, report: {} })
    return {
      told,
      reserve,
      settle,
      spend: async (cost: number) => settle(await reserve(cost)),
      spendAfterRest,
      /** Asks as the next request would, once it is time to try Redis again. */
      async comeBack() {
        skippedMs += 1_500
        await spendAfterRest(1)
        return told
      },
    }
  }
  /** What a runner sees that has nothing but Redis. */
  async function counted() {
    const link = linkTo(server.url, { keys, clock: patientClock })
    const { log, known } = createFleetHome({ link, clock, createModel: () => createQuotaModel({ limits }) })
    await log.read()
    const fold = foldLedger(known(), { limits })
    return { units: fold.model().windows(clock.now()).hour?.used, underWay: [...fold.inFlight.keys()] }
  }
  return { server, open, counted }
}

test('a runner continues alone while Redis is stopped, and a server that comes back empty has every unit again', async () => {
  const { server, open, counted } = await createFleet()
  const [a, b] = [open(), open()]
  await a.spend(10)
  await b.spend(20)
  const underWay = await a.reserve(3)
  await server.kill()
  await a.spend(30)
  const alone = await b.reserve(5)
  await a.settle(underWay)
  await server.start()
  expect(await a.comeBack()).toEqual(['unreachable', 'back'])
  expect(await b.comeBack()).toEqual(['unreachable', 'back'])
  expect(await counted()).toEqual({ units: 10 + 20 + 3 + 30 + 5 + 2, underWay: [alone] })
  await b.settle(alone)
  expect(await counted()).toEqual({ units: 10 + 20 + 3 + 30 + 5 + 2, underWay: [] })
})

test('a server that stops answering in the middle of a reservation does not count it twice once it answers', async () => {
  const { server, open, counted } = await createFleet()
  const a = open({ linkClock: systemClock })
  await a.spend(10)
  server.freeze()
  // Redis reads it when it answers again.
  const id = await a.reserve(20)
  expect(a.told).toEqual(['too-slow'])
  server.thaw()
  await a.settle(id)
  expect(await a.comeBack()).toEqual(['too-slow', 'back'])
  expect(await counted()).toEqual({ units: 31, underWay: [] })
})

test('a connection that is cut during a reservation or a settlement loses no unit and adds none', async () => {
  const { server, open, counted } = await createFleet()
  const a = open()
  let units = 0
  for (let round = 1; round <= 10; round += 1) {
    const reserving = a.reserve(round)
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const id = await reserving
    const settling = a.settle(id)
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await settling
    await a.comeBack()
    units += round + 1
  }
  // The runner may notice the last cut only now.
  for (let tries = 0; tries < 20 && (tries < 2 || a.told.at(-1) !== 'back'); tries += 1) {
    await a.comeBack()
    units += 1
  }
  expect(await counted()).toEqual({ units, underWay: [] })
  expect(a.told).toContain('unreachable')
})

test.for([
  ['out-of-memory', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
  ['read-only', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
] as const)('a server that answers %s counts as gone until it takes writes again', async ([kind, break_, mend]) => {
  const { server, open, counted } = await createFleet()
  const a = open()
  await a.spend(10)
  await server.command(...break_)
  await a.spend(20)
  expect(a.told).toEqual([kind])
  await server.command(...mend)
  expect(await a.comeBack()).toEqual([kind, 'back'])
  expect(await counted()).toEqual({ units: 31, underWay: [] })
})

test('scripts and data that were flushed are no outage, and nothing is forgotten', async () => {
  const { server, open, counted } = await createFleet()
  const a = open()
  await a.spend(10)
  await server.command('SCRIPT', 'FLUSH')
  await a.spend(20)
  await server.command('FLUSHALL')
  await a.spendAfterRest(30)
  expect(await counted()).toEqual({ units: 60, underWay: [] })
  expect(a.told).toEqual([])
})

test('a pause of all clients that outlasts a call is one outage, after which each unit counts once', async () => {
  const { server, open, counted } = await createFleet()
  const [a, b] = [open({ linkClock: systemClock }), open({ linkClock: systemClock })]
  await a.spend(1)
  await b.spend(2)
  await server.command('CLIENT', 'PAUSE', '1500')
  await Promise.all([a.spend(10), b.spend(20)])
  // It waits for the end of the pause, too.
  await server.command('PING')
  expect(await a.comeBack()).toEqual(['too-slow', 'back'])
  expect(await b.comeBack()).toEqual(['too-slow', 'back'])
  expect(await counted()).toEqual({ units: 35, underWay: [] })
})

test('two outages in a row, the second before a request of the first has ended, leave each unit counted once', async () => {
  const { server, open, counted } = await createFleet()
  const a = open({ folder: join(temporaryFolder(), 'cut-off') })
  await server.kill()
  const first = await a.reserve(10)
  await server.start()
  await a.comeBack()
  await server.kill()
  const second = await a.reserve(20)
  await a.settle(first)
  await server.start()
  await a.comeBack()
  await a.settle(second)
  expect(a.told).toEqual(['unreachable', 'back', 'unreachable', 'back'])
  expect(await counted()).toEqual({ units: 32, underWay: [] })
})
