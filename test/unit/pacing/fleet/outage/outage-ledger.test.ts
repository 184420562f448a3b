import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Ledger } from '../../../../../src/pacing/ledger.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { createEventClock } from '../../../../pacing/simulation/event-clock.ts'
import { createSimulatedRedis } from '../../../../pacing/simulation/simulated-redis.ts'
import { createRunner, linesOf, patientRedis, type RunnerOptions } from './outage-rig.ts'

const noon = Date.UTC(2026, 0, 15, 12)

function createRig() {
  const clock = createEventClock(noon)
  const redis = patientRedis(clock)
  return {
    clock,
    lines: () => linesOf(redis),
    runner: (options: Partial<RunnerOptions> = {}) => createRunner({ clock, redis, ...options }),
    /** Lets time pass until the work is done. */
    async run<T>(work: Promise<T>): Promise<T> {
      await clock.run(work)
      return await work
    },
    ids: (type: 'reserve' | 'settle' | 'cancel') =>
      linesOf(redis).flatMap((line) => (line.type === type ? line.id : [])),
  }
}

async function reserved(ledger: Ledger, now: number, cost = 10): Promise<string> {
  const reservation = await ledger.reserve(cost, now)
  if (reservation.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(reservation)}`)
  return reservation.id
}

test('a reservation continues alone within the second that Redis takes to fail', async () => {
  const { clock, run, runner } = createRig()
  const { ledger, link, told } = runner()
  link.isCut = true
  link.callMs = 1_000
  await run(reserved(ledger, clock.now()))
  expect(clock.now() - noon).toBe(1_000)
  for (let tries = 0; tries < 10; tries += 1) {
    await run(clock.sleep(20_000))
    const askedAt = clock.now()
    await run(ledger.reserve(1, askedAt))
    expect(clock.now() - askedAt).toBeLessThanOrEqual(1_000)
  }
  expect(told).toEqual(['unreachable'])
})

test('a server that never answers delays a reservation by a second at most', async () => {
  const { clock, run, runner } = createRig()
  const { ledger, link } = runner()
  await run(reserved(ledger, clock.now(), 1))
  link.isCut = true
  await run(reserved(ledger, clock.now(), 1))
  link.callMs = 86_400_000
  await run(clock.sleep(2_000))
  const askedAt = clock.now()
  await run(ledger.reserve(1, askedAt))
  expect(clock.now() - askedAt).toBe(1_000)
})

test('the fleet learns of an end during an outage once Redis is back, though no call follows', async () => {
  const { clock, run, runner, ids } = createRig()
  const { ledger, link, told } = runner()
  const id = await run(reserved(ledger, clock.now()))
  link.isCut = true
  await run(ledger.settle(id, { type: 'unanswered', at: clock.now() }))
  await run(clock.sleep(60_000))
  link.isCut = false
  await run(clock.sleep(40_000))
  expect([ids('settle'), told]).toEqual([[id], ['unreachable', 'back']])
  link.isCut = true
  await run(ledger.settle(await run(reserved(ledger, clock.now())), { type: 'unanswered', at: clock.now() }))
  ledger.close?.()
  const tries = link.failed
  await run(clock.sleep(200_000))
  expect(link.failed).toBe(tries)
})

test('the tries to return come after a second, then ever more rarely, and every 30 seconds in the end', async () => {
  const { clock, run, runner } = createRig()
  const { ledger, link } = runner()
  link.isCut = true
  await run(reserved(ledger, clock.now(), 20))
  await run(ledger.reserve(1, clock.now()))
  const tries: number[] = []
  const end = new AbortController()
  const waiting = ledger.changed(end.signal).catch(() => {})
  for (let before = link.failed; clock.now() < noon + 200_000; before = link.failed) {
    await run(clock.sleep(500))
    if (link.failed > before) tries.push(Math.floor((clock.now() - noon) / 1_000))
  }
  end.abort()
  await run(waiting)
  expect(tries).toEqual([1, 3, 7, 15, 31, 61, 91, 121, 151, 181])
})

test('a wait ends when Redis is back, so that the request is reserved in the fleet', async () => {
  const { clock, run, runner, ids } = createRig()
  const { ledger, link, told } = runner()
  link.isCut = true
  const id = await run(reserved(ledger, clock.now()))
  await run(reserved(ledger, clock.now()))
  expect((await run(ledger.reserve(10, clock.now()))).type).toBe('denied')
  const waiting = ledger.changed()
  await run(clock.sleep(5_000))
  link.isCut = false
  await run(waiting)
  expect(clock.now() - noon).toBeLessThan(8_000)
  expect(told).toEqual(['unreachable', 'back'])
  expect(ids('reserve')).toContain(id)
})

test('an outage ends once, though a call finds Redis back just before the next try is due', async () => {
  const { clock, run, runner } = createRig()
  const { ledger, link, told } = runner()
  link.isCut = true
  const id = await run(reserved(ledger, clock.now()))
  await run(clock.sleep(999.5))
  await run(ledger.settle(id, { type: 'unanswered', at: clock.now() }))
  link.isCut = false
  await run(clock.sleep(0.6))
  await run(reserved(ledger, clock.now(), 1))
  await run(clock.sleep(10_000))
  expect(told).toEqual(['unreachable', 'back'])
})

test('a request that began in the fleet and ended while Redis was gone ends in the fleet after the return', async () => {
  const { clock, run, runner, ids } = createRig()
  const { ledger, link } = runner()
  const id = await run(reserved(ledger, clock.now()))
  link.isCut = true
  await run(ledger.settle(id, { type: 'answered', at: clock.now(), status: 201, report: { remaining: 0, limit: 60 } }))
  expect(ids('settle')).toEqual([])
  link.isCut = false
  await run(clock.sleep(2_000))
  await run(ledger.reserve(1, clock.now()))
  expect(ids('settle')).toEqual([id])
})

test('a request that began alone and ends after the return is under way in the fleet meanwhile', async () => {
  const { clock, run, runner, ids, lines } = createRig()
  const { ledger, link } = runner()
  link.isCut = true
  const id = await run(reserved(ledger, clock.now()))
  link.isCut = false
  await run(clock.sleep(2_000))
  await run(ledger.reserve(1, clock.now()))
  expect(ids('reserve')).toContain(id)
  expect(ids('settle')).toEqual([])
  await run(ledger.settle(id, { type: 'not-sent' }))
  expect(lines()).toContainEqual({ type: 'settle', id, outcome: { type: 'not-sent' } })
})

test('what Redis has from before an outage and was not sent is cancelled at the return, though no call follows', async () => {
  const { clock, run, runner, ids } = createRig()
  const { ledger, link } = runner()
  const id = await run(reserved(ledger, clock.now()))
  link.isCut = true
  await run(ledger.settle(id, { type: 'not-sent' }))
  link.isCut = false
  await run(clock.sleep(40_000))
  expect(ids('cancel')).toEqual([id])
})

test('others hear of a runner whose request began alone after the return, though no call follows', async () => {
  const { clock, run, runner } = createRig()
  const redis = createSimulatedRedis(clock)
  const [one, other] = [runner({ redis }), runner({ redis })]
  one.link.isCut = true
  const [id, ended] = [await run(reserved(one.ledger, clock.now())), await run(reserved(one.ledger, clock.now(), 1))]
  await run(one.ledger.settle(ended, { type: 'unanswered', at: clock.now() }))
  one.link.isCut = false
  await run(clock.sleep(100_000))
  await run(other.log.read())
  const gone = expect.objectContaining({ type: 'gone', runner: one.log.runner })
  expect(other.log.lines().map(({ line }) => line)).not.toContainEqual(gone)
  expect(linesOf(redis)).toContainEqual(expect.objectContaining({ type: 'reserve', id }))
})

test('a request that ends while Redis is being told of it ends in the fleet, too', async () => {
  const { clock, run, runner, ids } = createRig()
  const { ledger, link } = runner()
  link.isCut = true
  const id = await run(reserved(ledger, clock.now()))
  await run(clock.sleep(2_000))
  Object.assign(link, { isCut: false, callMs: 500 })
  const ending = clock.sleep(700).then(() => ledger.settle(id, { type: 'unanswered', at: clock.now() }))
  await run(Promise.all([ledger.reserve(1, clock.now()), ending, clock.sleep(5_000)]))
  expect(ids('settle')).toEqual([id])
})

test('what others have left is not believed from answers of an outage, because the others tell it themselves', async () => {
  const { clock, run, runner, lines } = createRig()
  const { ledger, link } = runner()
  link.isCut = true
  const id = await run(reserved(ledger, clock.now()))
  const report = { limit: 60, remaining: 3, resetAt: noon + 30_000, cost: 10, serverNow: noon }
  await run(ledger.settle(id, { type: 'answered', at: clock.now(), status: 201, report }))
  link.isCut = false
  await run(clock.sleep(2_000))
  await run(ledger.reserve(1, clock.now()))
  const outcome = { type: 'answered', at: noon, status: 201, report: { limit: 60, cost: 10, serverNow: noon } }
  expect(lines()).toContainEqual({ type: 'settle', id, outcome })
})

test('a reservation whose answer was lost is the one that is sent, and counts once after the return', async () => {
  const { clock, run, runner, ids } = createRig()
  const { ledger, link } = runner()
  link.losesAnswer = true
  const id = await run(reserved(ledger, clock.now()))
  expect(ids('reserve')).toEqual([id])
  await run(ledger.settle(id, { type: 'unanswered', at: clock.now() }))
  await run(clock.sleep(2_000))
  const next = await run(reserved(ledger, clock.now(), 1))
  expect([ids('reserve'), ids('settle'), ids('cancel')]).toEqual([[id, next], [id], []])
  expect(ledger.windows(clock.now()).minute?.used).toBe(11)
})

test('a reservation whose answer was lost and that finds no room meanwhile counts for nothing after the return', async () => {
  const { clock, run, runner, ids } = createRig()
  for (const _ of [1, 2, 3]) await run(runner().log.read())
  const { ledger, link } = runner()
  const first = await run(reserved(ledger, clock.now()))
  await run(ledger.settle(first, { type: 'unanswered', at: clock.now() }))
  await run(clock.sleep(25_000))
  link.losesAnswer = true
  // Of four runners that are cut off each has the burst every 40 s.
  expect((await run(ledger.reserve(20, clock.now()))).type).toBe('denied')
  const [, lost] = ids('reserve')
  await run(clock.sleep(2_000))
  await run(reserved(ledger, clock.now(), 1))
  expect(ids('cancel')).toEqual([lost])
})

test('an end of the fleet during an outage leaves nothing under way that would hold back the others for good', async () => {
  const { clock, run, runner } = createRig()
  const [one, other] = [runner(), runner()]
  await run(reserved(one.ledger, clock.now()))
  await run(reserved(one.ledger, clock.now()))
  expect((await run(other.ledger.reserve(10, clock.now()))).type).toBe('denied')
  other.link.isCut = true
  await run(clock.sleep(2_001))
  const denied = await run(other.ledger.reserve(10, clock.now()))
  expect(denied).toMatchObject({ type: 'denied', verdict: { at: expect.any(Number) } })
})

test('runners of one machine that are cut off count together in its folder', async () => {
  const { clock, run, runner } = createRig()
  const folder = join(temporaryFolder(), 'cut-off')
  const runners = [1, 2, 3].map((pid) => runner({ folder, pid }))
  for (const { link } of runners) link.isCut = true
  const [a, b, c] = runners.map(({ ledger }) => ledger)
  await run(reserved(a as Ledger, clock.now()))
  await run(reserved(b as Ledger, clock.now()))
  expect((await run((c as Ledger).reserve(10, clock.now()))).type).toBe('denied')
})

test('what a process of this machine counted before it ended comes to the fleet with the next process that reaches it', async () => {
  const { clock, run, runner, ids, lines } = createRig()
  const folder = join(temporaryFolder(), 'cut-off')
  const ended = runner({ folder, pid: 1 })
  ended.link.isCut = true
  const answered = await run(reserved(ended.ledger, clock.now()))
  const report = { limit: 60, remaining: 3, cost: 10 }
  await run(ended.ledger.settle(answered, { type: 'answered', at: clock.now(), status: 201, report }))
  const killed = await run(reserved(ended.ledger, clock.now()))
  const next = runner({ folder, pid: 2, hasEnded: (pid) => pid === 1 })
  const own = await run(reserved(next.ledger, clock.now(), 1))
  expect(ids('reserve')).toEqual([own, answered, killed])
  expect(ids('settle')).toEqual([answered, killed])
  const outcome = { type: 'answered', at: noon, status: 201, report: { limit: 60, cost: 10 } }
  expect(lines()).toContainEqual({ type: 'settle', id: answered, outcome })
  const before = lines().length
  const last = runner({ folder, pid: 3, hasEnded: (pid) => pid === 1 })
  await run(clock.sleep(4 * 3_600_000))
  await run(reserved(last.ledger, clock.now(), 1))
  expect(lines().length).toBe(before + 1)
})

test('lines of an earlier outage that the fleet has do not count twice in the next one, nor at another date', async () => {
  const { clock, run, runner } = createRig()
  const folder = join(temporaryFolder(), 'cut-off')
  const { ledger, link } = runner({ folder })
  // Another process keeps the file from being forgotten.
  const other = runner({ folder, pid: 2 })
  for (const one of [link, other.link]) one.isCut = true
  await run(reserved(other.ledger, clock.now(), 1))
  await run(reserved(ledger, clock.now()))
  link.isCut = false
  await run(clock.sleep(2_000))
  const second = await run(reserved(ledger, clock.now(), 1))
  await run(ledger.settle(second, { type: 'unanswered', at: clock.now() }))
  await run(clock.sleep(30_000))
  link.isCut = true
  await run(ledger.reserve(1, clock.now()))
  expect(ledger.windows(clock.now()).minute?.used).toBe(13)
})

test('without Redis and without a folder to write to, each process still counts for itself', async () => {
  const { clock, run, runner } = createRig()
  const folder = join(temporaryFolder(), 'file', 'below')
  mkdirSync(join(folder, '..', '..'), { recursive: true })
  writeFileSync(join(folder, '..'), '')
  const { ledger, link, told } = runner({ folder })
  link.isCut = true
  await run(reserved(ledger, clock.now()))
  await run(reserved(ledger, clock.now()))
  expect((await run(ledger.reserve(10, clock.now()))).type).toBe('denied')
  expect(told).toEqual(['unreachable', expect.stringContaining('disk: ')])
})

test('the windows are told whether Redis answers or not', async () => {
  const { clock, run, runner } = createRig()
  const { ledger, link } = runner()
  expect(ledger.windows(clock.now()).minute?.used).toBe(0)
  link.isCut = true
  expect(ledger.windows(clock.now()).minute?.used).toBe(0)
  await run(reserved(ledger, clock.now()))
  expect(ledger.windows(clock.now()).minute?.used).toBe(10)
})
