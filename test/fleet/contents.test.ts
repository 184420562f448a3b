import { expect, test } from 'vitest'
import { createFleetContents } from '../../src/fleet/fleet-contents.ts'
import type { FleetClaimAnswer } from '../../src/fleet/fleet-contents-port.ts'
import { createFleetLedger } from '../../src/fleet/fleet-ledger.ts'
import { FleetProblem, type RedisLink, type RedisScript } from '../../src/fleet/redis-link.ts'
import { contentsScript, syncScript } from '../../src/fleet/scripts.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { createEventClock } from '../pacing/simulation/event-clock.ts'
import { linkTo, newKeys } from './link-to-redis.ts'

const cat = 'a'.repeat(64)
const dog = 'b'.repeat(64)
const shown = (sha256: string, slug: string) => ({ sha256, slug, description: `{"of":"${slug}"}` })

/** Runners of one key whose Redis has been whole for a minute. Time passes for them when a test says so. */
async function createFleet() {
  const server = await startRedis()
  const keys = newKeys()
  const [state = '', , , record = ''] = keys
  const events = createEventClock(Date.now())
  let sleptMs = 0
  let underWay = 0
  const clock = { now: () => events.now() + sleptMs, sleep: events.sleep }
  const after = (ms: number) => server.command('HINCRBY', state, 'skew', String(ms))
  const settled = async () => {
    do await new Promise(setImmediate)
    while (underWay > 0)
  }
  /** All processes are asleep meanwhile. */
  const sleep = async (ms: number) => {
    sleptMs += ms
    await after(ms)
  }
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      await after(1_000)
      await events.run(events.sleep(1_000))
      await settled()
    }
  }
  const join = () => {
    const link = linkTo(server.url, { keys, clock: patientClock })
    const line = { calls: [] as RedisScript[], isCut: false, losesAnswer: false }
    const run: RedisLink['run'] = async (script, args) => {
      underWay += 1
      try {
        const answer = line.isCut ? undefined : await link.run(script, args)
        line.isCut ||= line.losesAnswer
        if (line.isCut) throw new FleetProblem('unreachable', 'cut off')
        line.calls.push(script)
        return answer
      } finally {
        underWay -= 1
      }
    }
    const ledger = createFleetLedger({ link: { ...link, run }, clock, createModel: () => createQuotaModel() })
    return { ...createFleetContents(ledger, clock, () => {}), line }
  }
  await join().look([cat])
  await after(60_000)
  return { server, join, one: join(), two: join(), after, pass, sleep, settled, state, record }
}

function claimOf(answer: FleetClaimAnswer) {
  if (!('claim' in answer)) throw new Error(`no claim: ${answer.type}`)
  return answer.claim
}

test('of two runners that claim a content one sends it, and the other then finds it stored', async () => {
  const { one, two } = await createFleet()
  const claim = claimOf(await one.claim(cat, 'one-1'))
  expect(await two.claim(cat, 'two-1')).toEqual({ type: 'waits', holder: 'one-1' })
  expect(await claim.intend('{"size":1}')).toBe(true)
  one.confirm([shown(cat, 'slug')])
  claim.release('stored')
  await one.close()
  const entry = { slug: 'slug', description: '{"of":"slug"}' }
  expect(await two.claim(cat, 'two-1')).toMatchObject({ type: 'stored', entry })
  expect((await two.owners(['slug', 'other'])).get('slug')?.sha256).toBe(cat)
})

test('a content whose runner dropped it is granted to the next one, and one whose outcome is open makes it an heir', async () => {
  const { one, two } = await createFleet()
  for (const [sha256, outcome] of [
    [cat, 'not-stored'],
    [dog, 'open'],
  ] as const) {
    const claim = claimOf(await one.claim(sha256, `one-${outcome}`))
    await claim.intend('{"size":1}')
    claim.release(outcome)
  }
  await one.close()
  expect((await two.claim(cat, 'two-1')).type).toBe('granted')
  expect(await two.claim(dog, 'two-2')).toMatchObject({ type: 'heir', intent: '{"size":1}' })
})

test('a runner calls Redis every eight seconds while it has a claim, every three while it sends, and else not', async () => {
  const { one, two, pass } = await createFleet()
  await pass(60_000)
  const claim = claimOf(await one.claim(cat, 'one-1'))
  await pass(60_000)
  expect(one.line.calls).toEqual([contentsScript, ...Array(7).fill(syncScript)])
  await claim.intend('{}')
  await pass(60_000)
  expect(one.line.calls.slice(8)).toEqual([contentsScript, ...Array(20).fill(syncScript)])
  expect(await two.claim(cat, 'two-1')).toEqual({ type: 'waits', holder: 'one-1' })
  expect([claim.isDoubtful(), claim.lost.aborted]).toEqual([false, false])
  claim.release('not-stored')
  await pass(60_000)
  expect(one.line.calls).toHaveLength(30)
})

test('a runner that stood still for half a minute loses its claim, and notices before another byte leaves', async () => {
  const { one, two, sleep, settled } = await createFleet()
  const claim = claimOf(await one.claim(cat, 'one-1'))
  await claim.intend('{}')
  await sleep(29_000)
  expect((await two.claim(cat, 'two-1')).type).toBe('waits')
  expect(claim.isDoubtful()).toBe(true)
  await settled()
  expect(claim.isDoubtful()).toBe(false)
  await sleep(31_000)
  expect((await two.claim(cat, 'two-1')).type).toBe('heir')
  expect([claim.isDoubtful(), claim.lost.aborted]).toEqual([true, false])
  await settled()
  expect(claim.lost.aborted).toBe(true)
  expect(await claim.intend('{}')).toBe(false)
})

test('an upload goes on while its runner is cut off, and ends with the first answer if another has the content', async () => {
  const { one, two, pass } = await createFleet()
  const claim = claimOf(await one.claim(cat, 'one-1'))
  await claim.intend('{}')
  one.line.isCut = true
  await pass(34_000)
  expect((await two.claim(cat, 'two-1')).type).toBe('heir')
  expect([claim.isDoubtful(), claim.lost.aborted]).toEqual([false, false])
  one.line.isCut = false
  await pass(2_000)
  expect(claim.lost.aborted).toBe(true)
})

test('a claim whose answer was lost does not stay with a runner that no longer wants it', async () => {
  const { one, two, pass } = await createFleet()
  claimOf(await one.claim(dog, 'one-1'))
  one.line.losesAnswer = true
  expect((await one.claim(cat, 'one-2')).type).toBe('unreachable')
  expect((await two.claim(cat, 'two-1')).type).toBe('waits')
  Object.assign(one.line, { isCut: false, losesAnswer: false })
  await pass(8_000)
  expect((await two.claim(cat, 'two-1')).type).toBe('granted')
})

test('the claim of a process that has ended, as its machine knows, is taken over at once', async () => {
  const { join } = await createFleet()
  await join().claim(cat, 'one-1')
  const two = join()
  expect((await two.claim(cat, 'two-1', 'another')).type).toBe('waits')
  expect((await two.claim(cat, 'two-1', 'one-1')).type).toBe('granted')
})

test('after a loss no runner claims a file for five seconds, and holders and records are told again meanwhile', async () => {
  const { one, two, server, pass } = await createFleet()
  one.confirm([shown(dog, 'stored')])
  const claim = claimOf(await one.claim(cat, 'one-1'))
  await claim.intend('{"size":1}')
  await server.command('FLUSHALL')
  expect((await two.claim(cat, 'two-1')).type).toBe('settling')
  await pass(5_000)
  expect((await two.look([dog])).size).toBe(1)
  expect(await two.claim(cat, 'two-1')).toEqual({ type: 'waits', holder: 'one-1' })
  claim.release('open')
  await one.close()
  expect(await two.claim(cat, 'two-1')).toMatchObject({ type: 'heir', intent: '{"size":1}' })
})

test('after a restart of Redis a runner tells within five seconds what it holds and does not send yet, too', async () => {
  const { one, two, server, pass } = await createFleet()
  await one.claim(cat, 'one-1')
  await server.kill()
  await server.start()
  let answer = await two.claim(cat, 'two-1')
  for (; answer.type === 'settling'; answer = await two.claim(cat, 'two-1')) await pass(1_000)
  expect(answer.type).toBe('waits')
})

test('a lost record begins a new epoch, in which those older claims count that living runners tell again', async () => {
  const { one, two, server, pass, state, record } = await createFleet()
  claimOf(await one.claim(cat, 'one-1'))
  const claim = claimOf(await one.claim(dog, 'one-2'))
  const before = (await server.command('HGET', state, `c:${dog}`)) as string
  claim.release('not-stored')
  await pass(1_000)
  await server.command('HSET', state, `c:${dog}`, before)
  await server.command('DEL', record)
  expect((await two.claim(dog, 'two-1')).type).toBe('settling')
  await pass(8_000)
  expect((await two.claim(cat, 'two-1')).type).toBe('waits')
  expect((await two.claim(dog, 'two-1')).type).toBe('granted')
})

test('what is deleted is forgotten by its slug, but not the newer upload of the same content', async () => {
  const { join, one } = await createFleet()
  one.confirm([shown(cat, 'older'), shown(dog, 'gone')])
  one.confirm([shown(cat, 'newer')])
  one.forget(['older', 'gone'])
  await one.close()
  const found = await join().look([cat, dog])
  expect([...found].map(([sha256, { slug }]) => [sha256, slug])).toEqual([[cat, 'newer']])
})

test('uploads that were not confirmed for ninety days are forgotten, with what was claimed and never sent', async () => {
  const { one, two, server, after, state, record } = await createFleet()
  one.confirm([shown(cat, 'old')])
  await one.claim(dog, 'one-1')
  await one.close()
  await after(90 * 86_400_000 + 1_000)
  expect((await two.look([cat])).size).toBe(0)
  two.confirm([shown('c'.repeat(64), 'new')])
  await two.close()
  const fields = (await server.command('HKEYS', record)) as string[]
  expect(fields.sort()).toEqual(['epoch', `r:${'c'.repeat(64)}`, 's:new'])
  expect(await server.command('HEXISTS', state, `c:${dog}`)).toBe(0)
})

test('a runner that Redis refuses continues alone, and says so once', async () => {
  const { server, one } = await createFleet()
  await one.look([cat])
  await server.command('CONFIG', 'SET', 'requirepass', 'x')
  await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await expect.poll(async () => (await one.claim(cat, 'one-1')).type, { timeout: 10_000 }).toBe('alone')
})
