import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Attempt, UploadStore } from '../../src/store/upload-store.ts'
import {
  attempt,
  content,
  digest,
  file,
  machine,
  machines,
  memory,
  mine,
  STARTED_AT,
  send,
  sendAndStore,
  slugsOf,
  typeOf,
  unhashed,
  upload,
} from './upload-rig.ts'

type Opening = readonly [where: string, open: () => Promise<UploadStore>]
const onMachine: readonly Opening[] = [
  ['in memory', async () => memory()],
  ['in SQLite', async () => machine().open()],
]
const inRedis: Opening = ['in Redis', async () => (await machines()).start().store]

describe.each([...onMachine, inRedis])('a store %s', (_, one) => {
  test('a content that is stored is known, and is claimed by no other file', async () => {
    const store = await one()
    const id = await send(store, 'a')
    expect(await store.known(content('a'))).toEqual([])
    await store.stored(id, upload('slug'))
    expect(await store.known(content('a'))).toMatchObject([
      { slug: 'slug', name: 'a.jpg', isUnlisted: true, upload: { slug: 'slug' } },
    ])
    expect(await typeOf(store.claim(file('a')))).toBe('stored')
    expect(await store.owners(['slug', 'other'])).toEqual(new Map([['slug', digest('a')]]))
    expect(await store.latestSlugs()).toEqual(['slug'])
  })

  test('of two files with one content the second waits, and is sent where the first was not stored', async () => {
    const store = await one()
    const id = await send(store, 'a')
    expect(await store.claim(file('a', { path: '/b.jpg' }))).toMatchObject({
      type: 'waits',
      holder: { path: '/folder/a.jpg', isOwn: true, pid: process.pid },
    })
    await store.notStored(id)
    expect(await typeOf(store.claim(file('a')))).toBe('mine')
  })

  test('a forced file is claimed and sent whatever is there, and others wait for it', async () => {
    const store = await one()
    const first = await send(store, 'a')
    const forced = mine(await store.claim(file('a', { isForced: true, sha256: '' })))
    expect(await store.intend(forced, attempt)).toBe(true)
    await store.hashed(forced, digest('a'))
    await store.stored(first, upload('one'))
    await store.stored(forced, upload('two'))
    expect((await slugsOf(store, 'a')).sort()).toEqual(['one', 'two'])
  })

  test('an upload that the list shows is taken once, and by none that knows it as another file', async () => {
    const store = await one()
    const [a, b] = [await send(store, 'a'), await send(store, 'b')]
    expect(await store.found(a, upload('slug'))).toBe(true)
    expect(await store.found(b, upload('slug'))).toBe(false)
    expect([await slugsOf(store, 'a'), await slugsOf(store, 'b')]).toEqual([['slug'], []])
    expect((await store.known(content('a')))[0]?.isUnlisted).toBe(false)
  })

  test('what is open at the end of an item is looked for: it is claimed with all that was kept of its attempt', async () => {
    const store = await one()
    const attempt: Attempt = { size: 5, mimeType: 'image/png', startedAt: STARTED_AT, monotonic: 7 }
    const id = mine(await store.claim(file('a')))
    await store.intend(id, { ...attempt, serviceStartedAt: { from: 1, to: 2 } })
    await store.looking(id)
    expect(await store.underway()).toMatchObject([{ id, size: 5, mimeType: 'image/png', isLooking: true }])
    expect(await store.leftOpen()).toEqual([])
    expect(await store.unknown(id)).toBe(true)
    const open = { id, path: '/folder/a.jpg', ...content('a'), endedAt: STARTED_AT }
    expect(await store.leftOpen()).toMatchObject([
      { ...open, attempt: { ...attempt, serviceStartedAt: { from: 1, to: 2 } } },
    ])
    const status = await store.claim(file('a'))
    expect(status).toMatchObject({ type: 'open', item: open })
    expect([await store.leftOpen(), await typeOf(store.claim(file('a')))]).toEqual([[], 'waits'])
    await store.notStored(id)
    expect(await typeOf(store.claim(file('a')))).toBe('mine')
  })

  test('the uploads of a content come from the newest, and what is forgotten is gone', async () => {
    const store = await one()
    for (const [at, slug] of ['b', 'c', 'a'].entries())
      await store.seen({ content: content('x'), path: '-x', upload: upload(slug), at })
    expect(await slugsOf(store, 'x')).toEqual(['a', 'c', 'b'])
    await store.forget(['a', 'b'])
    expect(await slugsOf(store, 'x')).toEqual(['c'])
  })

  test('a type is kept as it is sent where the service has shown so, and never otherwise', async () => {
    const store = await one()
    const see = (slug: string, size: number) =>
      store.seen({ content: content(slug), path: '-x', mimeType: 'image/jpeg', upload: upload(slug, size) })
    expect(await store.keeps('image/jpeg')).toBe(false)
    await see('a', 5)
    expect([await store.keeps('image/jpeg'), await store.keeps('image/png')]).toEqual([true, false])
    await see('b', 4)
    expect(await store.keeps('image/jpeg')).toBe(false)
  })

  test('an upload that is being deleted is known, and not present without asking', async () => {
    const store = await one()
    await sendAndStore(store, 'a')
    await store.deleting('a')
    expect(await store.known(content('a'))).toMatchObject([{ slug: 'a', upload: undefined }])
  })
})

// With Redis every file is hashed first.
describe.each(onMachine)('a store %s, which asks for a hash where sizes agree', (_, one) => {
  test('files of one size do not wait for each other: only the hash is asked for', async () => {
    const store = await one()
    const first = mine(await store.claim(unhashed('a')))
    const second = mine(await store.claim(unhashed('b')))
    expect(await store.hasSize(5)).toBe(false)
    expect(await store.intend(first, attempt)).toBe(true)
    // Of the second it is not known whether it has the content that is being sent.
    expect(await store.intend(second, attempt)).toBe(false)
    expect(await typeOf(store.claim(unhashed('b')))).toBe('needs-hash')
    expect([await typeOf(store.claim(file('b'))), await store.claimed(first)]).toEqual(['waits', 'awaited'])
    await store.hashed(first, digest('a'))
    expect(await store.claimed(first)).toBe('mine')
    expect(await typeOf(store.claim(file('b')))).toBe('mine')
    expect(await typeOf(store.claim(file('a')))).toBe('waits')
    expect(await store.hasSize(6)).toBe(false)
  })

  test('of what was only claimed nothing stays open', async () => {
    const store = await one()
    const ids = [mine(await store.claim(file('a'))), mine(await store.claim(unhashed('b', 9)))]
    for (const id of ids) expect(await store.unknown(id)).toBe(false)
    expect([await store.leftOpen(), await store.hasSize(5), await store.hasSize(9)]).toEqual([[], false, false])
    for (const id of ids) expect(await store.intend(id, attempt)).toBe(false)
  })
})

describe('runs of one machine', () => {
  test('what one run has stored all know at once, and two accounts know nothing of each other', async () => {
    const { open } = machine()
    const [one, two, other] = [open(), open(), open({ keyHash: 'other' })]
    await sendAndStore(one, 'a')
    expect([await slugsOf(two, 'a'), await slugsOf(open(), 'a'), await slugsOf(other, 'a')]).toEqual([['a'], ['a'], []])
    expect(await typeOf(two.claim(file('a')))).toBe('stored')
  })

  test('what was stored or seen within ten seconds is present without asking; a longer time ago, or in the future, it is not', async () => {
    const { open } = machine()
    await sendAndStore(open(), 'a')
    const presentAfter = async (after: number) => (await open({ after }).known(content('a')))[0]?.upload !== undefined
    expect(await Promise.all([0, 10_000, 10_001, -1].map(presentAfter))).toEqual([true, true, false, false])
    const later = open({ after: 60_000 })
    await later.seen({ content: content('a'), path: '/b.jpg', upload: upload('a') })
    expect(await open({ after: 65_000 }).known(content('a'))).toMatchObject([
      { name: 'a.jpg', at: STARTED_AT, upload: { slug: 'a' } },
    ])
  })

  test('a claim of a killed run that had sent nothing is replaced', async () => {
    const { start, open } = machine()
    const dead = start()
    const id = mine(await dead.store.claim(file('a')))
    dead.kill()
    const heir = open()
    expect([await heir.leftOpen(), await typeOf(heir.claim(file('a')))]).toEqual([[], 'mine'])
    // Sentence 5: a run that lost its row sends nothing.
    expect(await heir.intend(id, attempt)).toBe(false)
  })

  test('what a killed run was sending is one heir\u2019s to find out; others wait until it knows', async () => {
    const { start, open } = machine()
    const dead = start()
    const id = await send(dead.store, 'a')
    const [heir, other] = [open(), open()]
    expect([await heir.leftOpen(), await typeOf(heir.claim(file('a')))]).toEqual([[], 'waits'])
    dead.kill()
    expect(await heir.leftOpen()).toMatchObject([{ id, endedAt: null, attempt: { startedAt: STARTED_AT } }])
    expect([await heir.takeOver(id), await other.takeOver(id), await other.leftOpen()]).toEqual([true, false, []])
    expect(await other.claim(file('a'))).toMatchObject({ type: 'waits', holder: { isOwn: false } })
    expect(await heir.found(id, upload('slug'))).toBe(true)
    expect([await typeOf(other.claim(file('a'))), await slugsOf(other, 'a')]).toEqual(['stored', ['slug']])
  })

  test('what the heir does not find out either is open for the next run, which knows no better when it ended', async () => {
    const { start, open } = machine()
    const dead = start()
    const id = await send(dead.store, 'a')
    dead.kill()
    const heir = start()
    expect(await heir.store.claim(file('a'))).toMatchObject({ type: 'open', item: { id } })
    await heir.store.unknown(id)
    expect(await open().leftOpen()).toMatchObject([{ id, endedAt: null }])
    expect(await typeOf(heir.store.claim(file('a')))).toBe('open')
    heir.kill()
    expect(await open().claim(file('a'))).toMatchObject({ type: 'open', item: { id } })
  })

  test('what a killed run was sending before it was hashed is looked for once by the next file of its size', async () => {
    const { start, open } = machine()
    const dead = start()
    const id = await send(dead.store, 'a', { sha256: '' })
    dead.kill()
    const heir = open()
    expect(await heir.claim(file('b'))).toMatchObject({ type: 'open', item: { id, sha256: '' } })
    await heir.unknown(id)
    expect(await typeOf(heir.claim(file('b')))).toBe('mine')
    expect(await heir.leftOpen()).toMatchObject([{ id }])
  })

  test('what an earlier run left unhashed is recorded by its content, though a file with that content was claimed meanwhile', async () => {
    const { start, open } = machine()
    const dead = start()
    const id = await send(dead.store, 'a', { sha256: '' })
    dead.kill()
    const heir = open()
    expect(await typeOf(heir.claim(file('b')))).toBe('open')
    await heir.unknown(id)
    await send(heir, 'a')
    const next = open()
    expect(await next.takeOver(id)).toBe(true)
    await next.hashed(id, digest('a'))
    expect([await next.found(id, upload('slug')), await slugsOf(next, 'a')]).toEqual([true, ['slug']])
  })

  test('a run that ends leaves what it was sending, and nothing of what it had only claimed', async () => {
    const { open } = machine()
    const run = open()
    const id = await send(run, 'a')
    mine(await run.claim(file('b')))
    await run.close()
    const next = open()
    expect([await next.leftOpen(), await typeOf(next.claim(file('b')))]).toMatchObject([[{ id }], 'mine'])
  })

  test('an item of more than 30 days ago is not looked for any more', async () => {
    const { start, open } = machine()
    const dead = start()
    await send(dead.store, 'a')
    dead.kill()
    const later = open({ after: 31 * 86_400_000 })
    expect([await later.leftOpen(), await typeOf(later.claim(file('a')))]).toEqual([[], 'mine'])
  })

  test('a new key takes over the uploads of the one whose upload the list shows, and then nothing more', async () => {
    const { open } = machine()
    const old = open()
    await sendAndStore(old, 'a')
    await sendAndStore(open({ keyHash: 'third' }), 'c')
    const next = open({ keyHash: 'new' })
    expect([await old.mayAdopt(), await next.mayAdopt()]).toEqual([false, true])
    await next.adopt(['x', 'a'])
    expect([await slugsOf(next, 'a'), await slugsOf(next, 'c'), await slugsOf(old, 'a')]).toEqual([['a'], [], []])
    expect(await next.mayAdopt()).toBe(false)
  })

  test('an account is forgotten, but for what a run at work is sending', async () => {
    const { open } = machine()
    await sendAndStore(open(), 'a')
    const atWork = open()
    const id = await send(atWork, 'b')
    expect(await open({ keyHash: 'other' }).forgetAccount()).toBe(0)
    expect([await open().forgetAccount(), await slugsOf(open(), 'a')]).toEqual([1, []])
    expect(await typeOf(open().claim(file('b')))).toBe('waits')
    await atWork.stored(id, upload('b'))
    expect([await slugsOf(open(), 'b'), await open().forgetAccount(), await slugsOf(open(), 'b')]).toEqual([
      ['b'],
      0,
      [],
    ])
  })
})

describe('a disk that fails', () => {
  test('a file that was removed is made again, empty: what the run had claimed it claims again', async () => {
    const { open, path, problems } = machine()
    const run = open()
    const id = await send(run, 'a')
    rmSync(path)
    expect([await run.claimed(id), await run.intend(id, attempt)]).toEqual(['lost', false])
    await sendAndStore(run, 'a')
    expect([await slugsOf(open(), 'a'), problems]).toEqual([['a'], []])
  })

  test.each(['removed', 'set aside'])(
    'what a run is sending while the file is %s it sends once, and records',
    async (how) => {
      const { open, path } = machine()
      const run = open()
      const ids = [await send(run, 'a'), await send(run, 'b', { size: 6, sha256: '' })]
      if (how === 'removed') rmSync(path)
      else renameSync(path, `${path}.old`)
      await run.hashed(ids[1] ?? '', digest('b'))
      expect(await run.claim(file('a'))).toMatchObject({
        type: 'waits',
        holder: { path: '/folder/a.jpg', isOwn: true },
      })
      expect(await typeOf(run.claim(unhashed('b', 6)))).toBe('needs-hash')
      expect(await typeOf(run.claim(file('b', { size: 6 })))).toBe('waits')
      await run.stored(ids[0] ?? '', upload('a'))
      expect(await run.found(ids[1] ?? '', upload('b', 6))).toBe(true)
      expect([await slugsOf(open(), 'a'), await run.known(content('b', 6))]).toMatchObject([['a'], [{ slug: 'b' }]])
      expect(await typeOf(run.claim(file('a')))).toBe('stored')
      expect([await run.keeps('image/jpeg'), await typeOf(open().claim(file('b', { size: 6 })))]).toEqual([
        true,
        'stored',
      ])
    },
  )

  test('where another run has claimed the content after the file was removed, the first one has lost it', async () => {
    const { open, path } = machine()
    const run = open()
    const id = mine(await run.claim(file('a')))
    rmSync(path)
    mine(await open().claim(file('a')))
    expect([await run.claimed(id), await run.intend(id, attempt)]).toEqual(['lost', false])
  })

  test('a run whose lock was removed goes on with its claims', async () => {
    const { open, folder } = machine()
    const run = open()
    const id = mine(await run.claim(file('a')))
    rmSync(join(folder, 'runs'), { recursive: true })
    expect(await run.intend(id, attempt)).toBe(true)
    expect(await typeOf(open().claim(file('a')))).toBe('waits')
  })

  test('a folder that cannot be used is told once, and the run goes on in memory', async () => {
    const { open, problems, folder } = machine()
    writeFileSync(folder, 'not a folder')
    const run = open()
    await sendAndStore(run, 'a')
    expect([await slugsOf(run, 'a'), problems]).toMatchObject([['a'], [{ type: 'unusable' }]])
  })

  test('a disk that can no longer be written leaves the run what it knew', async () => {
    const { start, open, problems } = machine()
    await sendAndStore(open(), 'a')
    const { store, handles } = start()
    const id = await send(store, 'b')
    for (const handle of handles) handle.exec('PRAGMA query_only = ON')
    await store.stored(id, upload('b'))
    expect([await slugsOf(store, 'a'), await slugsOf(store, 'b')]).toEqual([['a'], ['b']])
    await sendAndStore(store, 'c')
    expect(problems).toMatchObject([{ type: 'unusable' }])
    expect(await slugsOf(open(), 'b')).toEqual([])
  })

  test.each([
    ['whose header is gone', () => 0, 0],
    ['that has a page of zeros in an index', (root: number) => root - 1, 60],
    ['that is torn at its end', (_: number, pages: number) => pages - 1, 20],
  ])('a file %s is set aside, what can be read of it is copied, and that is told once', async (_, pageOf, least) => {
    const { open, path, problems, folder } = machine()
    const before = open()
    for (let number = 0; number < 60; number += 1) await sendAndStore(before, `f${number}`)
    await before.close()
    damage(path, pageOf(rootOf(path, 'upload_content'), statSync(path).size / PAGE))
    const run = open()
    await sendAndStore(run, 'new')
    await sendAndStore(open(), 'newer')
    expect(problems).toMatchObject([{ type: 'damaged', path, aside: `${path}.damaged-1` }])
    expect(problems[0]?.type === 'damaged' && problems[0].saved).toBeGreaterThanOrEqual(least)
    expect(await slugsOf(run, 'f0')).toEqual(least > 0 ? ['f0'] : [])
    expect([await slugsOf(open(), 'new'), await slugsOf(run, 'newer')]).toEqual([['new'], ['newer']])
    expect(
      readdirSync(folder)
        .sort()
        .filter((name) => !name.endsWith('-journal')),
    ).toEqual(['replace.lock', 'runs', 'uploads.db', 'uploads.db.damaged-1'])
  })

  test.each(['replace.lock', 'uploads.db.new'])(
    'a damaged file that %s keeps from being set aside is left, and the run goes on in memory',
    async (name) => {
      const { open, path, problems, folder } = machine()
      await sendAndStore(open(), 'a')
      damage(path, 0)
      const before = readFileSync(path)
      rmSync(join(folder, name), { force: true })
      mkdirSync(join(folder, name))
      const run = open()
      await sendAndStore(run, 'b')
      expect([await slugsOf(run, 'b'), await typeOf(run.claim(file('b')))]).toEqual([['b'], 'stored'])
      expect([problems, readFileSync(path)]).toMatchObject([[{ type: 'unusable', path }], before])
    },
  )

  test('a file of a newer version is refused by name, and left alone', async () => {
    const { open, path, problems } = machine()
    await open().close()
    const database = new DatabaseSync(path)
    database.exec('PRAGMA user_version = 99')
    database.close()
    const before = readFileSync(path)
    expect(() => open()).toThrow(/uploads\.db cannot be used: a newer/)
    expect([problems, readFileSync(path)]).toEqual([[], before])
  })

  test('a store that another process holds for long is not used, and nothing is counted elsewhere', async () => {
    const { start, path, problems } = machine()
    const { store, handles } = start()
    for (const handle of handles) handle.exec('PRAGMA busy_timeout = 0')
    const database = new DatabaseSync(path)
    database.exec('BEGIN IMMEDIATE')
    await expect(store.claim(file('a'))).rejects.toMatchObject({ failure: 'busy' })
    database.close()
    expect([await typeOf(store.claim(file('a'))), problems]).toEqual(['mine', []])
  })

  test('on a network disk no claim of another run is taken over, whatever its lock tells', async () => {
    const { start, open, problems, folder } = machine()
    const dead = start()
    await send(dead.store, 'a')
    dead.kill()
    const heir = open({ isNetwork: true })
    expect([await heir.leftOpen(), await typeOf(heir.claim(file('a')))]).toEqual([[], 'doubtful'])
    expect(problems).toEqual([{ type: 'network', path: folder }])
  })
})

const PAGE = 4_096

/** Of a table or an index, from 1. */
function rootOf(path: string, name: string): number {
  const database = new DatabaseSync(path)
  try {
    return Number(database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)?.['rootpage'])
  } finally {
    database.close()
  }
}

/** Writes zeros over a page, counted from 0. No run of this process has the file open. */
function damage(path: string, page: number): void {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, page * PAGE, page * PAGE + PAGE))
}
