import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { UploadPage } from '../../src/index.ts'
import { ListSearch } from '../../src/uploads/list-search.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { killable } from '../helpers/killable.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { attempt, content, digest, file, machines, mine, send, typeOf, upload } from './upload-rig.ts'

test('of two machines that claim a content one sends it, and the other then finds it stored', async () => {
  const { start } = await machines()
  const [one, two] = [start().store, start().store]
  const id = await send(one, 'a')
  expect([await typeOf(two.claim(file('a'))), await typeOf(two.claim(file('b')))]).toEqual(['waits', 'mine'])
  expect((await two.underway()).map((item) => item.sha256)).toEqual([digest('a')])
  await one.stored(id, upload('slug'))
  expect(await typeOf(two.claim(file('a')))).toBe('stored')
  expect(await two.known(content('a'))).toMatchObject([{ slug: 'slug', name: 'a.jpg', upload: { slug: 'slug' } }])
  expect(await two.owners(['slug'])).toEqual(new Map([['slug', digest('a')]]))
  expect(await two.underway()).toEqual([])
})

test('a batch is asked about at once, and what others have stored is known here', async () => {
  const { start } = await machines()
  const [one, two] = [start().store, start().store]
  for (const text of ['a', 'b']) await one.stored(await send(one, text), upload(text))
  await two.expect(['a', 'b', 'c'].map((text) => content(text)))
  const known = await Promise.all(['a', 'b', 'c'].map((text) => two.known(content(text))))
  expect(known.map((uploads) => uploads.map(({ slug }) => slug))).toEqual([['a'], ['b'], []])
  await two.forget(['a'])
  const three = start().store
  await three.expect([content('a')])
  expect(await three.known(content('a'))).toEqual([])
})

test('a long batch is asked about in parts of 500, so that none blocks Redis for long', async () => {
  const { start } = await machines()
  const [{ store: one }, { store: two, line }] = [start(), start()]
  for (const text of ['3', '503', '1203']) await one.stored(await send(one, text), upload(text))
  const texts = Array.from({ length: 1_204 }, (_, number) => String(number))
  expect([...(await two.owners(texts)).keys()]).toEqual(['3', '503', '1203'])
  await two.expect(texts.map((text) => content(text)))
  expect((await two.known(content('1203'))).map(({ slug }) => slug)).toEqual(['1203'])
  await two.forget(texts)
  expect(await start().store.owners(texts)).toEqual(new Map())
  expect(line.longest).toBeLessThan(520)
})

test('of a file that was changed while it was sent all know the content that was sent', async () => {
  const { start } = await machines()
  const [one, two] = [start().store, start().store]
  const id = await send(one, 'a')
  await one.hashed(id, digest('b'))
  await one.stored(id, upload('slug'))
  expect(await two.owners(['slug'])).toEqual(new Map([['slug', digest('b')]]))
})

test('a content that its run dropped goes to the next one, and one that is left open to the first heir', async () => {
  const { start } = await machines()
  const [one, two, three] = [start().store, start().store, start().store]
  await one.notStored(await send(one, 'a'))
  const id = await send(two, 'a')
  expect(await two.unknown(id)).toBe(true)
  const status = await three.claim(file('a', { path: '/here.jpg' }))
  expect(status).toMatchObject({
    type: 'open',
    item: { path: '/here.jpg', size: 5, attempt: { mimeType: 'image/jpeg' } },
  })
  expect(await typeOf(one.claim(file('a')))).toBe('waits')
  const item = status.type === 'open' ? status.item.id : ''
  expect(await three.found(item, upload('slug'))).toBe(true)
  expect([await typeOf(one.claim(file('a'))), (await three.known(content('a')))[0]?.slug]).toEqual(['stored', 'slug'])
})

test('an upload that others know as another file is not taken', async () => {
  const { start } = await machines()
  const [one, two] = [start().store, start().store]
  await one.stored(await send(one, 'a'), upload('slug'))
  expect(await two.found(await send(two, 'b'), upload('slug'))).toBe(false)
})

test('what a run that is gone had only claimed is replaced, and it sends nothing more', async () => {
  const { start } = await machines()
  const [gone, two] = [start(), start().store]
  const id = mine(await gone.store.claim(file('a')))
  await gone.expire()
  mine(await two.claim(file('a')))
  expect([await gone.store.intend(id, attempt), await gone.store.claimed(id)]).toEqual([false, 'lost'])
})

test('what a run that is gone was sending is one heir’s to find out', async () => {
  const { start } = await machines()
  const [gone, two, three] = [start(), start().store, start().store]
  const id = await send(gone.store, 'a')
  expect(await typeOf(two.claim(file('a')))).toBe('waits')
  await gone.expire()
  expect([await typeOf(two.claim(file('a'))), await typeOf(three.claim(file('a')))]).toEqual(['open', 'waits'])
  expect(await gone.store.claimed(id)).toBe('lost')
})

test('a call whose answer was lost may be repeated', async () => {
  const { start, told } = await machines()
  const { store, line } = start({ clock: instantClock(), maxWaitMs: 5_000 })
  line.losesAnswer = true
  const id = mine(await store.claim(file('a')))
  line.losesAnswer = true
  expect(await store.intend(id, attempt)).toBe(true)
  line.losesAnswer = true
  await store.stored(id, upload('slug'))
  expect([await typeOf(start().store.claim(file('a'))), told]).toEqual(['stored', [['silent', 5_000]]])
})

test('a Redis that stays silent ends the run, which does not go on by itself', async () => {
  const { start } = await machines()
  const { store, line } = start({ clock: instantClock(), maxWaitMs: 5_000 })
  line.isCut = true
  await expect(store.claim(file('a'))).rejects.toMatchObject({
    failure: 'unreachable',
    message: 'Redis cannot be reached',
  })
})

test('what a run of the same machine finds out of a killed one all know', async () => {
  const { start } = await machines()
  const folder = temporaryFolder()
  const killed = killable(() => start({ folder }).store)
  const id = await send(killed.run, 'a')
  killed.kill()
  const heir = start({ folder }).store
  expect(await heir.leftOpen()).toMatchObject([{ id }])
  expect([await heir.takeOver(id), await heir.found(id, upload('slug'))]).toEqual([true, true])
  const other = start().store
  await other.expect([content('a')])
  expect((await other.known(content('a')))[0]?.slug).toBe('slug')
})

test('a run that was silent for half a minute has lost its claims until it has asked', async () => {
  const { start } = await machines()
  let aheadMs = 0
  const now = () => systemClock.now() + aheadMs
  const { store } = start({ clock: { ...systemClock, now, monotonic: now } })
  const id = await send(store, 'a')
  expect(await store.claimed(id)).toBe('mine')
  aheadMs = 29_000
  expect(await store.claimed(id)).toBe('lost')
})

test('a Redis that is new, or has lost something, grants no claim for a lease', async () => {
  const { start, age, told, server, state } = await machines({ isSettled: false })
  const { store } = start()
  expect(await store.claim(file('a'))).toMatchObject({ type: 'settling', ms: expect.any(Number) })
  expect([told.length, store.doubtedMs()]).toEqual([1, expect.any(Number)])
  await age(31_000)
  expect(await typeOf(store.claim(file('a')))).toBe('mine')
  await age(2 * 86_400_000)
  await store.expect([content('b')])
  expect(store.doubtedMs()).toBeUndefined()
  expect(await server.command('EXISTS', state)).toBe(1)
})

test('what another machine tells of a claimed content while the list is read is found there, and not sent again', async () => {
  const { start } = await machines()
  const [one, two] = [start().store, start().store]
  mine(await two.claim(file('a')))
  const stored = { ...upload('slug'), created_at: '2026-11-20T12:00:00+02:00' }
  const page = { current_page: 1, data: [stored], from: 1, last_page: 1, per_page: 50, to: 1, total: 1 }
  const list = async () => {
    await one.seen({ content: content('a'), path: '/a.jpg', upload: stored })
    return page as unknown as UploadPage
  }
  const stopping = new AbortController().signal
  const search = new ListSearch({
    store: two,
    client: { list, show: async () => stored, reconcile: async () => [] },
    context: { clock: instantClock(), note() {}, interruption: { stopping } },
    matches: { compare: async () => [] },
  })
  expect(await search.find({ label: 'a.jpg', path: '/a.jpg', content: content('a') }, stopping)).toBe(true)
})

test.each([
  ['all', (keys: readonly string[]) => keys],
  ['its epoch', (keys: readonly string[]) => keys.slice(0, 1)],
  ['which runs live', (keys: readonly string[]) => keys.slice(2, 3)],
  ['what is stored', (keys: readonly string[]) => keys.slice(3, 4)],
  ['which file an upload is of', (keys: readonly string[]) => keys.slice(4, 5)],
  ['who sends', (keys: readonly string[]) => keys.slice(5, 6)],
])('a run that finds that Redis has lost %s ends, and the next one waits for a lease', async (_, lostOf) => {
  const { start, server, keys } = await machines()
  const { store } = start()
  await store.stored(await send(store, 'b'), upload('b'))
  const id = await send(store, 'a')
  await server.command('DEL', ...lostOf(keys))
  await expect(store.claimed(id)).rejects.toMatchObject({ failure: 'lost' })
  expect(await typeOf(start().store.claim(file('c')))).toBe('settling')
})

test.each([
  ['another server, as after a failover', (state: string) => ['HSET', state, 'server', 'another']],
  ['an older copy, which lacks the last calls', (state: string) => ['HINCRBY', state, 'number', '-1']],
])('a run that finds %s ends, and the next one waits for a lease', async (_, change) => {
  const { start, server, state } = await machines()
  const { store } = start()
  const id = await send(store, 'a')
  await server.command(...change(state))
  await expect(store.intend(id, attempt)).rejects.toMatchObject({ failure: 'lost' })
  await expect(store.stored(id, upload('slug'))).rejects.toMatchObject({ failure: 'lost' })
  expect(await typeOf(start().store.claim(file('b')))).toBe('settling')
})
