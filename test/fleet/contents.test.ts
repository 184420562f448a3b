import { expect, test } from 'vitest'
import { cat, claimed, createFleet, dog, intent, type Runner, sending, shown, type TestFleet } from './contents-rig.ts'

test('of two runners that claim a content one sends it, and the other then finds it stored', async () => {
  const { one, two, standing } = await createFleet()
  const [claim, other] = [one.claim('one-1', cat), two.claim('two-1', cat)]
  expect(await claim.standing()).toEqual({ type: 'first' })
  expect(await other.standing()).toMatchObject({ type: 'waits', holder: { id: 'one-1' } })
  expect(await claim.intend(intent)).toBe(true)
  one.confirm(shown(cat, 'slug'), claim.id)
  claim.release('stored')
  await one.close()
  const entry = { sha256: cat.sha256, upload: { slug: 'slug' } }
  expect(await standing(other)).toMatchObject({ type: 'stored', entry })
  expect((await two.owners(['slug', 'other'])).get('slug')).toMatchObject(entry)
})

test('a content whose runner dropped it goes to the next one, and one whose outcome is open to the first of its heirs', async () => {
  const { one, two, join, standing } = await createFleet()
  const [dropped, left] = [await sending(one, 'one-1'), await sending(one, 'one-2', dog)]
  dropped.release('not-stored')
  left.release('unknown')
  await one.close()
  const heir = two.claim('two-2', dog)
  expect(await two.claim('two-1', cat).standing()).toEqual({ type: 'first' })
  const open = await heir.standing()
  expect(open).toMatchObject({ type: 'open', entry: { intent: { id: 'one-2', size: 2, mime_type: 'image/png' } } })
  const next = join().claim('three-1', dog)
  expect(await next.standing()).toMatchObject({ type: 'waits', holder: { id: 'two-2' } })
  if (open.type === 'open') two.settle(open.entry, { type: 'stored', upload: shown(dog, 'found').upload })
  expect(await heir.standing()).toMatchObject({ type: 'stored', entry: { sha256: dog.sha256 } })
  expect((await standing(next)).type).toBe('stored')
})

test('a runner calls Redis every eight seconds while it has a claim, every three while it sends, and else not', async () => {
  const { one, two, pass } = await createFleet()
  await pass(60_000)
  const claim = await claimed(one, 'one-1')
  await pass(60_000)
  const beats = (count: number) => Array.from({ length: count }, (_, at) => (at % 2 === 0 ? 'contents' : 'quota'))
  expect(one.line.calls).toEqual(['contents', 'contents', ...beats(7)])
  await claim.intend(intent)
  await pass(60_000)
  expect(one.line.calls.slice(9)).toEqual(['contents', ...beats(21).slice(1)])
  expect((await two.claim('two-1', cat).standing()).type).toBe('waits')
  expect([claim.isDoubtful(), claim.lost.aborted]).toEqual([false, false])
  claim.release('not-stored')
  await pass(60_000)
  expect(one.line.calls).toHaveLength(31)
})

test('a runner that stood still for half a minute loses its claim, and notices before another byte leaves', async () => {
  const { one, two, join, sleep, settled, standing } = await createFleet()
  const [claim, other] = [await sending(one, 'one-1'), two.claim('two-1', cat)]
  await sleep(29_000)
  expect((await other.standing()).type).toBe('waits')
  expect(claim.isDoubtful()).toBe(true)
  await settled()
  expect(claim.isDoubtful()).toBe(false)
  await sleep(31_000)
  const next = join().claim('three-1', cat)
  expect((await next.standing()).type).toBe('open')
  expect([claim.isDoubtful(), claim.lost.aborted]).toEqual([true, false])
  await settled()
  expect(claim.lost.aborted).toBe(true)
  expect(await claim.intend(intent)).toBe(false)
  claim.release('not-stored')
  expect(await claim.standing()).toEqual({ type: 'lost' })
  expect(await other.standing()).toEqual({ type: 'lost' })
  expect((await standing(next)).type).toBe('first')
  // What it claims from now on counts again.
  expect((await one.claim('one-2', dog).standing()).type).toBe('first')
})

test('an upload goes on while its runner is cut off, and ends with the first answer if another has the content', async () => {
  const { one, two, pass } = await createFleet()
  const claim = await sending(one, 'one-1')
  one.line.isCut = true
  await pass(34_000)
  expect((await two.claim('two-1', cat).standing()).type).toBe('open')
  expect([claim.isDoubtful(), claim.lost.aborted]).toEqual([false, false])
  one.line.isCut = false
  await pass(2_000)
  expect(claim.lost.aborted).toBe(true)
})

test('a claim whose answer was lost does not stay with a runner that no longer wants it', async () => {
  const { one, two, pass, standing } = await createFleet()
  await one.claim('one-1', dog).standing()
  const [claim, other] = [one.claim('one-2', cat), two.claim('two-1', cat)]
  one.line.losesAnswer = true
  expect(await claim.standing()).toEqual({ type: 'silent', waitMs: 500 })
  expect((await other.standing()).type).toBe('waits')
  Object.assign(one.line, { isCut: false, losesAnswer: false })
  claim.release('not-stored')
  await pass(8_000)
  expect((await standing(other)).type).toBe('first')
})

test('the claim of a process that has ended, as its machine knows, is taken over at once', async () => {
  const { join, two } = await createFleet()
  await join().claim('one-1', cat).standing()
  const claim = two.claim('two-1', cat)
  const answer = await claim.standing()
  if (answer.type === 'waits' && answer.holder) two.giveUp(answer.holder)
  expect((await claim.standing()).type).toBe('first')
})

test('after a loss no runner claims a file for five seconds, and holders and records are told again meanwhile', async () => {
  const { one, two, server, pass, standing } = await createFleet()
  one.confirm(shown(dog, 'stored'))
  const [claim, other] = [await sending(one, 'one-1'), two.claim('two-1', cat)]
  await server.command('FLUSHALL')
  expect((await other.standing()).type).toBe('settling')
  await pass(5_000)
  expect((await two.look([dog])).size).toBe(1)
  expect(await other.standing()).toMatchObject({ type: 'waits', holder: { id: 'one-1' } })
  claim.release('unknown')
  await one.close()
  expect(await standing(other)).toMatchObject({ type: 'open', entry: { intent: { id: 'one-1' } } })
})

test('after a restart of Redis a runner tells within five seconds what it holds and does not send yet, too', async () => {
  const { one, two, server, pass } = await createFleet()
  await one.claim('one-1', cat).standing()
  await server.kill()
  await server.start()
  const claim = two.claim('two-1', cat)
  let answer = await claim.standing()
  const isWaiting = () => answer.type === 'settling' || answer.type === 'silent'
  for (; isWaiting(); answer = await claim.standing()) await pass(1_000)
  expect(answer).toMatchObject({ type: 'waits', holder: { id: 'one-1' } })
})

test('where one key is lost living runners keep their claims, and a runner that is not heard of again is gone', async () => {
  const { one, two, join, server, standing, record, runners } = await createFleet()
  const dead = join()
  await claimed(dead, 'dead-1', dog)
  await claimed(one, 'one-1')
  dead.line.isCut = true
  const claims = [await claimed(two, 'two-1'), await claimed(two, 'two-2', dog)] as const
  await server.command('DEL', record)
  await server.command('DEL', runners)
  expect((await two.claim('two-3', { size: 3, sha256: 'c' }).standing()).type).toBe('settling')
  expect([(await standing(claims[0])).type, (await standing(claims[1])).type]).toEqual(['waits', 'waits'])
  for (let step = 0; step < 12; step += 1) for (const claim of claims) await standing(claim)
  expect([(await claims[0].standing()).type, (await claims[1].standing()).type]).toEqual(['waits', 'first'])
})

test('what is deleted is forgotten by its slug, but not the newer upload of the same content', async () => {
  const { join, one } = await createFleet()
  one.confirm(shown(cat, 'older'))
  one.confirm(shown(dog, 'gone'))
  one.confirm(shown(cat, 'newer'))
  one.forget(['older', 'gone'])
  await one.close()
  const found = await join().look([cat, dog])
  expect([...found].map(([sha256, { upload }]) => [sha256, upload.slug])).toEqual([[cat.sha256, 'newer']])
})

test('what leaves a long log is in the record for ninety days, without what was deleted; claims stay in the log', async () => {
  const fleet = await createFleet()
  const { join, one, two, server, after, pass, record } = fleet
  const many = Array.from({ length: 700 }, (_, number) => ({ size: 1, sha256: `${number}`.padStart(64, '0') }))
  for (const [number, content] of many.entries()) one.confirm(shown(content, `slug-${number}`))
  one.forget(['slug-7'])
  await one.close()
  await pass(120_000)
  await claimed(two, 'two-1')
  for (const { sha256 } of many) two.confirm(shown({ size: 2, sha256: `f${sha256.slice(1)}` }, `f-${sha256}`))
  await two.close()
  expect(((await server.command('HKEYS', record)) as string[]).length).toBe(1 + 2 * 699)
  const three = join()
  expect((await three.look(many)).size).toBe(699)
  expect((await three.owners(['slug-8', 'slug-7'])).size).toBe(1)
  expect((await three.claim('three-1', cat).standing()).type).toBe('waits')
  expect((await three.claim('three-2', many[9] ?? cat).standing()).type).toBe('stored')
  two.forget(['slug-600'])
  await two.close()
  await after(120_000)
  await tellMany(fleet, three, 700)
  const left = () => server.command('HMGET', record, 's:slug-0', 's:slug-600', 's:slug-601')
  expect(await left()).toEqual([expect.any(String), null, expect.any(String)])
  await after(91 * 86_400_000)
  const late = join()
  expect((await late.look(many)).size).toBe(0)
  // As many of the oldest leave as are confirmed, and a few.
  expect(await left()).toEqual([null, null, null])
})

test('a runner waits a minute for a Redis that it knew, or for less by choice, says so once, and then continues alone', async () => {
  const { join, pass } = await createFleet()
  for (const [maxWaitMs, waitsMs] of [
    [3_600_000, 60_000],
    [20_000, 20_000],
    [0, 10_000],
  ] as const) {
    const said: (number | 'alone')[] = []
    const runner = join({ maxWaitMs, onSilent: (ms) => said.push(ms), onAlone: () => said.push('alone') })
    await runner.look([dog])
    runner.line.isCut = true
    const claim = runner.claim('one-1', cat)
    expect((await claim.standing()).type).toBe('silent')
    await pass(waitsMs - 1_000)
    expect([(await claim.standing()).type, said]).toEqual(['silent', [waitsMs]])
    await pass(1_000)
    expect([(await claim.standing()).type, said]).toEqual(['alone', [waitsMs, 'alone']])
  }
})

test('a run that is stopped waits no longer for a silent Redis', async () => {
  const { join, pass } = await createFleet()
  const stop = new AbortController()
  const runner = join({ stopping: stop.signal })
  await runner.look([dog])
  runner.line.isCut = true
  const looking = runner.look([cat])
  await pass(5_000)
  stop.abort()
  await expect(looking).rejects.toThrow('aborted')
})

test('keys of a former version keep what was used and stored; what was being sent then is looked for in the list', async () => {
  const { server, join, pass, state, quota, record, seen, runners } = await createFleet()
  const at = Date.now()
  await server.command('FLUSHALL')
  const [id, text] = [`${at}-2`, JSON.stringify({ name: 'a.png', upload: shown(cat, 'kitten').upload })]
  const reserved = {
    type: 'reserve',
    id: 'x.1',
    at,
    cost: 10,
    owner: { host: '', boot: '', space: '', pid: 1, start: '' },
  }
  await server.command('XADD', quota, `${at}-1`, 'l', JSON.stringify(reserved))
  const outcome = { type: 'answered', at, status: 201, report: { cost: 10 } }
  await server.command('XADD', quota, id, 'l', JSON.stringify({ type: 'settle', id: 'x.1', outcome }))
  await server.command(
    'HSET',
    record,
    'epoch',
    'old',
    `r:${cat.sha256}`,
    `${at} kitten ${text}`,
    's:kitten',
    cat.sha256,
  )
  await server.command('ZADD', seen, String(at), cat.sha256)
  await server.command('ZADD', runners, String(at), 'x')
  const sending = [`c:${dog.sha256}`, `x 1 ${at}`, `i:${dog.sha256}`, `${at} {}`]
  await server.command('HSET', state, 'epoch', 'old', 'since', '1', 'last', id, 'based', '0-0', ...sending)
  const runner = join()
  expect((await runner.look([cat])).get(cat.sha256)?.upload.slug).toBe('kitten')
  await runner.ledger.log.read()
  expect(runner.ledger.windows(at).minute?.used).toBe(10)
  const claim = runner.claim('one-1', dog)
  expect((await claim.standing()).type).toBe('settling')
  await pass(6_000)
  expect((await claim.standing()).type).toBe('first')
  // fh reads the list where the memory is younger than a day.
  expect(runner.memory()?.since).toBeGreaterThanOrEqual(at)
})

test('a runner that Redis refuses continues alone', async () => {
  const { server, one } = await createFleet()
  await one.look([cat])
  await server.command('CONFIG', 'SET', 'requirepass', 'x')
  await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  const claim = one.claim('one-1', cat)
  await expect.poll(async () => (await claim.standing()).type, { timeout: 10_000 }).toBe('alone')
})

/** A runner is not heard of until the others give it up; then it hears of them again. */
async function missed({ pass }: TestFleet, { line }: Runner, others: Runner, meanwhile = async () => {}) {
  line.isCut = true
  for (let seconds = 0; seconds < 45; seconds += 5) {
    await pass(5_000)
    await others.look([dog])
  }
  await meanwhile()
  line.isCut = false
}

/** Says of so many contents that they are there, so that the log is shortened. */
async function tellMany({ settled }: TestFleet, runner: Runner, count: number, from = 0) {
  for (let number = from; number < from + count; number += 1) {
    const content = { size: 1_000 + number, sha256: number.toString(16).padStart(64, 'c') }
    runner.confirm(shown(content, `s${number}`))
    if (number % 500 === 499) await settled()
  }
  await runner.look([dog])
  await settled()
}

test('a runner that was given up sends nothing more, though the log was shortened before it hears of that', async () => {
  const fleet = await createFleet()
  const { one, two, join, pass, standing } = fleet
  const three = join()
  const [claim, own] = [await claimed(one, 'one-1'), await sending(three, 'three-1', dog)]
  three.line.isCut = true
  await missed(fleet, one, two, async () => {
    const heir = await claimed(two, 'two-1', dog)
    const open = await standing(heir)
    if (open.type === 'open') two.settle(open.entry, { type: 'not-stored' })
    expect(await heir.intend({ ...intent, size: dog.size })).toBe(true)
    await tellMany(fleet, two, 1_400)
  })
  three.line.isCut = false
  expect(await claim.intend(intent)).toBe(false)
  await pass(10_000)
  await three.look([cat])
  expect([claim.lost.aborted, own.lost.aborted]).toEqual([true, true])
})

test('a claim that is told again since its answer was lost does not get its place back once its runner was given up', async () => {
  const fleet = await createFleet()
  const { one, two, pass, standing } = fleet
  await claimed(one, 'one-0', dog)
  one.line.losesAnswer = true
  const claim = one.claim('one-1', cat)
  await claim.standing()
  one.line.losesAnswer = false
  await missed(fleet, one, two)
  const other = await claimed(two, 'two-1')
  expect([(await standing(other)).type, await other.intend(intent)]).toEqual(['first', true])
  await pass(9_000)
  expect((await standing(claim)).type).toBe('lost')
  expect(other.lost.aborted).toBe(false)
})

test('a runner that was given up once keeps its new claims when another tells the log again after a loss', async () => {
  const fleet = await createFleet()
  const { one, two, pass } = fleet
  await claimed(one, 'one-1', dog)
  await missed(fleet, one, two)
  await pass(3_000)
  const again = one.claim('one-2', cat)
  expect((await again.standing()).type).toBe('first')
  await two.look([dog])
  await fleet.lose()
  await two.look([dog])
  await pass(12_000)
  expect((await two.claim('two-1', cat).standing()).type).toBe('waits')
  expect(await again.intend(intent)).toBe(true)
})

test('a runner that was given up and did not hear of it stops no other by what it meant to send', async () => {
  const fleet = await createFleet()
  const { one, two, standing } = fleet
  const claim = await claimed(one, 'one-1')
  const other = two.claim('two-1', cat)
  await missed(fleet, one, two, async () => {
    expect([(await standing(other)).type, await other.intend(intent)]).toEqual(['first', true])
  })
  expect(await claim.intend(intent)).toBe(false)
  await two.look([dog])
  expect(other.lost.aborted).toBe(false)
})

test('the log of contents does not grow by runners that told it nothing, by repeated news, or by an upload left open', async () => {
  const fleet = await createFleet()
  const { one, two, server, runners, pass, settled } = fleet
  const log = runners.replace(/:[^:]*$/, ':contents')
  await sending(one, 'one-1')
  await missed(fleet, one, two)
  const [before, now] = [Number(await server.command('XLEN', log)), Date.now()]
  for (let count = 0; count < 40; count += 1)
    await server.command('ZADD', runners, String(now - 3_600_000), `gone${count}`)
  for (let count = 0; count < 3; count += 1) await two.look([dog])
  expect(Number(await server.command('XLEN', log))).toBe(before)
  for (let count = 0; count < 3; count += 1) {
    two.confirm(shown(dog, 'dog'))
    // The first was answered before the next is told.
    await two.look([dog])
    await settled()
  }
  expect(Number(await server.command('XLEN', log))).toBe(before + 1)
  // Others take for fresh what was seen within ten seconds.
  await pass(11_000)
  two.confirm(shown(dog, 'dog'))
  await two.look([dog])
  expect(Number(await server.command('XLEN', log))).toBe(before + 2)
  for (let round = 0; round < 3; round += 1) {
    await tellMany(fleet, two, 700, round * 700)
    await pass(61_000)
  }
  await tellMany(fleet, two, 700, 9_000)
  const base = String(await server.command('GET', `${log}-base`))
  expect(base.split('\n').length).toBeLessThan(1_500)
  const open = await (await claimed(two, 'two-9')).standing()
  expect(open).toMatchObject({ type: 'open', entry: { intent: { id: 'one-1' } } })
})

test('a claim counts no more after two losses of Redis in one silence: another runner may have stored it and left', async () => {
  const fleet = await createFleet()
  const { one, two, pass } = fleet
  const claims = [await claimed(one, 'one-1'), await claimed(one, 'one-2', dog)] as const
  await missed(fleet, one, two, async () => {
    await fleet.lose()
    await two.look([dog])
    await pass(6_000)
    const heir = await sending(two, 'two-1')
    heir.release('stored')
    await fleet.lose()
  })
  expect([await claims[0].intend(intent), claims[0].lost.aborted]).toEqual([false, true])
  expect((await claims[1].standing()).type).toBe('lost')
})

test('a claim outlives one loss of Redis that another runner notices soon', async () => {
  const fleet = await createFleet()
  const claim = await claimed(fleet.one, 'one-1')
  await fleet.lose()
  await fleet.two.look([dog])
  await fleet.pass(9_000)
  expect(await claim.intend(intent)).toBe(true)
})

test('a mark that a runner was given up ends no later run, though it is told again in a shortened log after a loss', async () => {
  const fleet = await createFleet()
  const { one, two, pass, standing } = fleet
  await claimed(one, 'one-1', dog)
  await missed(fleet, one, two)
  await pass(3_000)
  await sending(one, 'one-2')
  two.line.isCut = true
  await fleet.lose()
  await tellMany(fleet, one, 700)
  await pass(6_000)
  two.line.isCut = false
  await two.look([dog])
  expect(await standing(two.claim('two-1', cat))).toMatchObject({ type: 'waits', holder: { id: 'one-2' } })
})

test('a runner that was given up unheard, because Redis lost that, too, claims in another run', async () => {
  const fleet = await createFleet()
  const { one, two, pass, standing } = fleet
  const claim = await claimed(one, 'one-1', dog)
  claim.release('not-stored')
  await one.look([dog])
  await missed(fleet, one, two)
  two.line.isCut = true
  await fleet.lose()
  await one.look([dog])
  await pass(6_000)
  await sending(one, 'one-2')
  two.line.isCut = false
  expect(await standing(two.claim('two-1', cat))).toMatchObject({ type: 'waits', holder: { id: 'one-2' } })
})

test('an upload that could not be told is told as soon as Redis answers, though its runner has nothing else to say', async () => {
  const { one, two, pass } = await createFleet()
  const claim = await sending(one, 'one-1')
  one.line.isCut = true
  one.confirm(shown(cat, 'slug'), claim.id)
  claim.release('stored')
  await pass(5_000)
  one.line.isCut = false
  await pass(5_000)
  expect((await two.look([cat])).get(cat.sha256)).toMatchObject({ upload: { slug: 'slug' } })
})

test('the upload of a runner that was silent for long goes on when it claims the next file', async () => {
  const { one, pass } = await createFleet()
  ;(await claimed(one, 'one-1', dog)).release('not-stored')
  await one.look([dog])
  await pass(25_000)
  const own = await sending(one, 'one-2')
  expect((await one.claim('one-3', dog).standing()).type).toBe('first')
  await pass(6_000)
  expect(own.lost.aborted).toBe(false)
})

test('uploads under way go on where Redis comes back empty after eight seconds; where it takes longer they end', async () => {
  const fleet = await createFleet()
  const own = await sending(fleet.one, 'one-1')
  const afterOutage = async (ms: number) => {
    fleet.one.line.isCut = true
    await fleet.pass(ms)
    await fleet.lose()
    fleet.one.line.isCut = false
    await fleet.pass(6_000)
    return own.lost.aborted
  }
  expect([await afterOutage(8_000), await afterOutage(25_000)]).toEqual([false, true])
})

test('a runner that was given up claims again though the Redis that took over is ten minutes behind', async () => {
  const fleet = await createFleet()
  const { one, two, pass, server, state } = fleet
  const claim = await claimed(one, 'one-1', dog)
  await missed(fleet, one, two)
  await one.look([dog])
  claim.release('not-stored')
  await pass(5_000)
  await fleet.lose()
  await server.command('HINCRBY', state, 'skew', String(-600_000))
  await two.look([dog])
  await pass(8_000)
  await claimed(one, 'one-2')
  expect((await claimed(one, 'one-3').then((next) => next.standing())).type).toBe('first')
})

test('a runner that sends notices within seconds that an older state of Redis took over', async () => {
  const { one, two, pass, server, keys, state } = await createFleet()
  await one.look([dog])
  for (const key of keys) await server.command('COPY', key, `older:${key}`)
  await sending(one, 'one-1')
  const skew = String(await server.command('HGET', state, 'skew'))
  for (const key of keys) await server.command('DEL', key)
  for (const key of keys) await server.command('COPY', `older:${key}`, key)
  await server.command('HSET', state, 'skew', skew)
  await pass(15_000)
  expect((await claimed(two, 'two-1').then((claim) => claim.standing())).type).toBe('waits')
})

test('a file that its runner dropped is not waited for when another tells again, after a loss, that it was sent', async () => {
  const fleet = await createFleet()
  const { one, two, join, pass } = fleet
  const sleeper = join()
  const dropped = await sending(one, 'one-1')
  await claimed(one, 'one-2', dog)
  await sleeper.look([dog])
  sleeper.line.isCut = true
  dropped.release('not-stored')
  await pass(5_000)
  await tellMany(fleet, two, 700)
  await fleet.lose()
  for (const runner of [one, two]) await runner.look([dog])
  sleeper.line.isCut = false
  await sleeper.look([dog])
  await pass(20_000)
  expect((await claimed(two, 'two-1').then((claim) => claim.standing())).type).toBe('first')
})

test('a claim outlives a clock of Redis that is set forward by a minute before a new runner calls; one of a killed runner ends', async () => {
  const { one, two, join, after, pass } = await createFleet()
  const [claim, killed] = [await sending(one, 'one-1'), await sending(two, 'two-1', dog)]
  two.line.isCut = true
  await pass(10_000)
  await after(310_000)
  const three = join()
  const [next, heir] = [three.claim('three-1', cat), three.claim('three-2', dog)]
  for (const ms of [9_000, 12_000]) {
    expect([(await next.standing()).type, (await heir.standing()).type]).toEqual(['waits', 'waits'])
    await pass(ms)
  }
  expect([(await next.standing()).type, (await heir.standing()).type]).toEqual(['waits', 'open'])
  expect([claim.lost.aborted, await claim.intend(intent)]).toEqual([false, true])
  expect(killed.lost.aborted).toBe(false)
})
