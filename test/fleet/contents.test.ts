import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createFleetContents } from '../../src/fleet/fleet-contents.ts'
import type { FleetClaimAnswer } from '../../src/fleet/fleet-contents-port.ts'
import { fleetKeys } from '../../src/fleet/fleet-keys.ts'
import { openRedisLink } from '../../src/fleet/redis-client-link.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { startRedis } from '../helpers/redis-server.ts'

const cat = 'a'.repeat(64)
const dog = 'b'.repeat(64)
const shown = (sha256: string, slug: string) => ({ sha256, slug, description: `{"of":"${slug}"}` })

/** Runners of one key whose Redis has been whole for a minute. */
async function createFleet() {
  const server = await startRedis()
  const keys = fleetKeys(randomBytes(8).toString('hex'))
  const [state = '', , , record = ''] = keys
  const after = (ms: number) => server.command('HINCRBY', state, 'skew', String(ms))
  const join = () => {
    const link = openRedisLink({ url: server.url, keys, clock: patientClock })
    const runner = randomBytes(9).toString('base64url')
    const scriptArguments = () => [runner, randomBytes(9).toString('base64url'), '', '']
    const contents = createFleetContents({ member: { link, scriptArguments }, clock: systemClock, onAlone: () => {} })
    onTestFinished(async () => {
      await contents.close()
      link.close()
    })
    return contents
  }
  await join().look([cat])
  await after(60_000)
  return { server, join, after, state, record }
}

function claimOf(answer: FleetClaimAnswer) {
  if (!('claim' in answer)) throw new Error(`no claim: ${answer.type}`)
  return answer.claim
}

test('of two runners that claim a content one sends it, and the other then finds it stored', async () => {
  const { join } = await createFleet()
  const [one, two] = [join(), join()]
  const claim = claimOf(await one.claim(cat, 'one-1'))
  expect(await two.claim(cat, 'two-1')).toEqual({ type: 'waits', holder: 'one-1' })
  expect(await claim.intend('{"size":1}')).toBe(true)
  one.confirm([shown(cat, 'slug')])
  claim.release('stored')
  await one.close()
  expect(await two.claim(cat, 'two-1')).toMatchObject({
    type: 'stored',
    entry: { slug: 'slug', description: '{"of":"slug"}' },
  })
  expect((await two.owners(['slug', 'other'])).get('slug')?.sha256).toBe(cat)
})

test('a content whose runner dropped it is granted to the next one, and one whose outcome is open makes it an heir', async () => {
  const { join } = await createFleet()
  const [one, two] = [join(), join()]
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

test('a runner that was not heard of for half a minute loses its claim, and learns so before its first byte', async () => {
  const { join, after } = await createFleet()
  const [one, two] = [join(), join()]
  const claim = claimOf(await one.claim(cat, 'one-1'))
  await after(29_000)
  expect((await two.claim(cat, 'two-1')).type).toBe('waits')
  await after(2_000)
  expect((await two.claim(cat, 'two-1')).type).toBe('granted')
  expect(await claim.intend('{}')).toBe(false)
  expect(claim.lost.aborted).toBe(true)
})

test('the claim of a process that has ended, as its machine knows, is taken over at once', async () => {
  const { join } = await createFleet()
  await join().claim(cat, 'one-1')
  const two = join()
  expect((await two.claim(cat, 'two-1', 'another')).type).toBe('waits')
  expect((await two.claim(cat, 'two-1', 'one-1')).type).toBe('granted')
})

test('after a loss no runner claims a file for five seconds, and holders and records are told again meanwhile', async () => {
  const { server, join, after } = await createFleet()
  const [one, two] = [join(), join()]
  one.confirm([shown(dog, 'stored')])
  const claim = claimOf(await one.claim(cat, 'one-1'))
  await claim.intend('{"size":1}')
  await server.command('FLUSHALL')
  expect((await two.claim(cat, 'two-1')).type).toBe('settling')
  await expect.poll(async () => (await two.look([dog])).size, { timeout: 10_000 }).toBe(1)
  await after(6_000)
  expect(await two.claim(cat, 'two-1')).toEqual({ type: 'waits', holder: 'one-1' })
  claim.release('open')
  await one.close()
  expect(await two.claim(cat, 'two-1')).toMatchObject({ type: 'heir', intent: '{"size":1}' })
})

test('a record that is lost alone begins a new epoch, in which no runner claims for five seconds', async () => {
  const { server, join, record } = await createFleet()
  const one = join()
  await one.look([cat])
  const before = one.memory()?.epoch
  await server.command('DEL', record)
  expect((await one.claim(cat, 'one-1')).type).toBe('settling')
  expect(one.memory()?.epoch).not.toBe(before)
})

test('what is deleted is forgotten by its slug, but not the newer upload of the same content', async () => {
  const { join } = await createFleet()
  const one = join()
  one.confirm([shown(cat, 'older'), shown(dog, 'gone')])
  one.confirm([shown(cat, 'newer')])
  one.forget(['older', 'gone'])
  await one.close()
  const found = await join().look([cat, dog])
  expect([...found].map(([sha256, { slug }]) => [sha256, slug])).toEqual([[cat, 'newer']])
})

test('uploads that were not confirmed for ninety days are forgotten, with what was claimed and never sent', async () => {
  const { server, join, after, state, record } = await createFleet()
  const [one, two] = [join(), join()]
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
  const { server, join } = await createFleet()
  const one = join()
  await one.look([cat])
  await server.command('CONFIG', 'SET', 'requirepass', 'x')
  await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await expect.poll(async () => (await one.claim(cat, 'one-1')).type, { timeout: 10_000 }).toBe('alone')
})
