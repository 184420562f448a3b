import { appendFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Journal } from '../../../src/contents/journal.ts'
import { createJournal } from '../../../src/contents/journal.ts'
import { parseLines, toLine } from '../../../src/contents/journal-facts.ts'
import { openJournalFile } from '../../../src/contents/journal-file.ts'
import { openRecordFile } from '../../../src/contents/record/record-file.ts'
import { accountHash } from '../../../src/system/account-hash.ts'
import { thisProcess } from '../../../src/system/process-identity.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { uploadObject } from '../../helpers/media.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const clock = instantClock()
const intent = { size: 5, mimeType: 'image/jpeg', startedAt: clock.now(), endedAt: null, knownSlugs: [] }
const accountOf = (apiKey: string) => ({ base_url: 'http://h', key_hash: accountHash('http://h', apiKey) })
const digest = (text: string) => Buffer.from(text).toString('hex').padEnd(64, '0')
const content = (text: string, size = 5) => ({ size, sha256: digest(text) })

async function place() {
  const folder = temporaryFolder()
  const path = join(folder, 'state', 'uploads.journal')
  const problems: string[] = []
  const file = () => openJournalFile(path, { makeFolder: true })
  const recordPath = join(folder, 'state', 'uploads.record')
  const open = ({ apiKey = 'secret', after = 0 } = {}) =>
    createJournal({
      credentials: { baseUrl: 'http://h', apiKey },
      clock: { ...clock, now: () => clock.now() + after },
      file: file(),
      record: openRecordFile(recordPath),
      onProblem: (reason) => problems.push(reason),
    })
  return {
    path,
    recordPath,
    problems,
    file,
    open,
    /** Pretends that all processes that wrote to the journal were killed. */
    killAll: () => replaceAll(path, `"pid":${process.pid}`, '"pid":4194999'),
    /** Pretends that all processes that wrote to the journal have this part of their identity. */
    moveAway: (part: 'host' | 'boot' | 'space') =>
      replaceAll(path, `"${part}":"${thisProcess()[part]}"`, `"${part}":"far"`),
  }
}

async function replaceAll(path: string, text: string, by: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(text, by))
}

function uploadOne(journal: Journal, path: string, slug: string) {
  const claim = journal.claim(path, content(slug))
  claim.intend(intent)
  claim.done({ ...uploadObject, slug })
}

/** More than the journal keeps: when its run is over, stored uploads move to the record. */
function uploadMany(journal: Journal, letter = 'm') {
  for (let number = 0; number < 200; number += 1)
    uploadOne(journal, `/many/${letter}-${number}.jpg`, `${letter}${number}`)
}

/** A run stores many files, and a minute later another shortens the journal. */
function shorten(open: (options?: { after?: number }) => Journal, alsoStore = (_run: Journal) => {}): void {
  const run = open()
  uploadMany(run)
  alsoStore(run)
  run.close()
  open({ after: 61_000 }).close()
}

const knownSlugs = (journal: Journal, text: string) => journal.known(content(text)).map(({ slug }) => slug)

test('two runs write to one journal at the same time, and each knows the uploads of both', async () => {
  const { open, problems } = await place()
  const [one, other] = [open(), open()]
  for (let turn = 0; turn < 20; turn += 1) {
    uploadOne(one, `/one-${turn}`, `one${turn}`)
    uploadOne(other, `/other-${turn}`, `other${turn}`)
  }
  expect([knownSlugs(one, 'other3'), knownSlugs(open(), 'one19'), problems]).toEqual([['other3'], ['one19'], []])
})

test('an upload of the last ten seconds is present without asking, an older one and one with a future time are not', async () => {
  const { open } = await place()
  uploadOne(open(), '/folder/a.jpg', 'a')
  const [stored] = open({ after: 10_000 }).known(content('a'))
  expect(stored).toMatchObject({ slug: 'a', name: 'a.jpg', upload: { slug: 'a' } })
  for (const after of [10_001, -1]) expect(open({ after }).known(content('a'))[0]?.upload).toBeUndefined()
})

test('an upload that the service showed is as present as one that was just stored', async () => {
  const { open } = await place()
  uploadOne(open(), '/a.jpg', 'a')
  const later = open({ after: 60_000 })
  later.found('/b.jpg', content('a'), { ...uploadObject, slug: 'a' })
  expect(open({ after: 65_000 }).known(content('a'))).toMatchObject([{ slug: 'a', upload: { slug: 'a' } }])
})

test('a content has all its uploads of one account, the newest first, and a forgotten one is left out in every run', async () => {
  const { open } = await place()
  const journal = open()
  uploadOne(journal, '/a.jpg', 'a')
  journal.found('/a.jpg', content('a'), { ...uploadObject, slug: 'b' })
  const later = open({ after: 60_000 })
  later.found('/a.jpg', content('a'), { ...uploadObject, slug: 'c' })
  expect([knownSlugs(later, 'a'), knownSlugs(open({ apiKey: 'other' }), 'a')]).toEqual([['c', 'a', 'b'], []])
  journal.forget(['c', 'a'])
  expect(knownSlugs(open(), 'a')).toEqual(['b'])
})

test.each([
  ['on another machine is looked for', ['host', 'boot'], ['/open'], 'open'],
  ['in another container is looked for', ['space'], ['/open'], 'open'],
  ['that began under another name of the host is waited for', ['host'], [], 'waits'],
] as const)(
  'an upload in flight of a run %s, which was at work a moment ago',
  async (_, parts, unsettled, standing) => {
    const { open, moveAway, problems } = await place()
    open().claim('/open', content('x')).intend(intent)
    for (const part of parts) await moveAway(part)
    const here = open()
    expect(here.unsettled().map((entry) => entry.intent.path)).toEqual(unsettled)
    expect(here.claim('/open', content('x')).standing()).toMatchObject({ type: standing })
    expect(problems).toEqual([])
  },
)

test('an upload in flight of a killed run is unsettled until its outcome is recorded, and known once it is identified', async () => {
  const { open, killAll } = await place()
  const killed = open()
  uploadOne(killed, '/a', 'a')
  killed.claim('/b', { size: 5, sha256: '' }).intend(intent)
  await killAll()
  const later = open()
  const [entry, ...rest] = later.unsettled()
  if (!entry) throw new Error('nothing is unsettled')
  expect([rest, later.intentOf(entry)]).toEqual([[], { ...intent, knownSlugs: ['a'] }])
  later.identify(entry, digest('b'))
  later.settle(entry, { type: 'stored', upload: { ...uploadObject, slug: 'b' } })
  expect([later.unsettled(), knownSlugs(open(), 'b')]).toEqual([[], ['b']])
})

test('an upload in flight is looked for until thirty days later', async () => {
  const { open, killAll } = await place()
  open().claim('/b', content('b')).intend(intent)
  await killAll()
  expect(open({ after: 30 * 86_400_000 }).unsettled()).toHaveLength(1)
  expect(open({ after: 31 * 86_400_000 }).unsettled()).toEqual([])
})

describe('the record', () => {
  test('takes over what a long journal has stored, and every content stays known with name and time', async () => {
    const { open, path, recordPath } = await place()
    const run = open()
    uploadMany(run)
    run.close()
    const next = open({ after: 61_000 })
    uploadOne(next, '/folder/last.jpg', 'last')
    next.close()
    expect((await readFile(path)).length).toBeLessThan(3_000)
    expect((await readFile(recordPath, 'utf8')).split('\n')).toHaveLength(203)
    const later = open({ after: 120_000 })
    expect(later.known(content('m7'))).toEqual([
      { slug: 'm7', name: 'm-7.jpg', at: clock.now(), isRecent: false, upload: undefined },
    ])
    expect(knownSlugs(later, 'last')).toEqual(['last'])
    expect([later.mayHave(5), later.mayHave(6)]).toEqual([true, false])
  })

  test('takes over at the end of a large batch all that it has stored, which counts as fresh for ten seconds nevertheless', async () => {
    const { open, path, recordPath } = await place()
    const run = open()
    uploadMany(run)
    run.close()
    const facts = parseLines((await readFile(path, 'utf8')).split('\n'))
    expect(facts.map(({ type }) => type)).toEqual(['recent'])
    expect((await readFile(recordPath, 'utf8')).split('\n')).toHaveLength(203)
    const known = (after: number) => open({ after }).known(content('m7'))
    const upload = { ...uploadObject, slug: 'm7' }
    const m7 = { slug: 'm7', name: 'm-7.jpg', at: clock.now(), isRecent: true }
    expect([known(10_000), known(10_001)]).toEqual([[{ ...m7, upload }], [{ ...m7, upload: undefined }]])
    open({ after: 10_001 }).forget(['m7'])
    expect([known(0), open().slugs().length]).toEqual([[], 199])
  })

  test('knows what a batch has just stored without its upload, where that is damaged or too deep', async () => {
    const { open, path } = await place()
    const run = open()
    uploadMany(run)
    run.close()
    const [text, deep] = [await readFile(path, 'utf8'), `\\"title\\":${'['.repeat(600)}${']'.repeat(600)}`]
    const others = [text.replace(/"uploads":.*]/, '"uploads":7'), text.replaceAll('\\"title\\":null', deep)]
    for (const other of [...others, text.replaceAll('\\"url\\"', '\\"u\\"')]) {
      await writeFile(path, other)
      expect(open().known(content('m7'))).toMatchObject([{ slug: 'm7', isRecent: true, upload: undefined }])
    }
  })

  test('of a forgotten upload keeps nothing', async () => {
    const { open, recordPath } = await place()
    shorten(open)
    open().forget(['m7'])
    expect(knownSlugs(open(), 'm7')).toEqual([])
    const last = open({ after: 122_000 })
    uploadMany(last, 'n')
    last.close()
    open({ after: 183_000 }).close()
    const text = await readFile(recordPath, 'utf8')
    expect(['"m7"', '"m8"', '"n7"'].map((slug) => text.includes(slug))).toEqual([false, true, true])
  })

  test('a kill between the record and the journal repeats entries, and each upload is known once', async () => {
    const { open, path } = await place()
    const run = open()
    uploadMany(run)
    run.close()
    const before = await readFile(path)
    open({ after: 61_000 }).close()
    await writeFile(path, before)
    expect(knownSlugs(open({ after: 61_000 }), 'm3')).toEqual(['m3'])
    open({ after: 61_000 }).close()
    expect(knownSlugs(open({ after: 61_000 }), 'm3')).toEqual(['m3'])
  })

  test('a run that is at work while another shortens the journal finds what moved to the record', async () => {
    const { open, path } = await place()
    const watching = open()
    const claim = watching.claim('/w', { size: 9, sha256: digest('w') })
    shorten(open)
    expect(claim.standing()).toEqual({ type: 'first' })
    expect(knownSlugs(watching, 'm3')).toEqual(['m3'])
    watching.close()
    open({ after: 122_000 }).close()
    expect(await readFile(path, 'utf8')).toBe('')
  })

  test.each([
    ['a record of a newer version', 'fh-record 3\nwhatever it holds\n', 'a newer version of fh wrote it'],
    ['a file of another kind', 'precious\n', 'it is not a record of fh'],
  ])('%s is neither read nor overwritten', async (_, text, reason) => {
    const { open, recordPath, file } = await place()
    file().append('{}')
    await writeFile(recordPath, text)
    expect(() => open().known(content('a'))).toThrow(reason)
    shorten(open)
    expect(await readFile(recordPath, 'utf8')).toBe(text)
  })

  test('a name and a slug of any characters come back as they were', async () => {
    const { open } = await place()
    const name = 'ein "Bild"\n\u001b[31m ☃ 🏔.jpg'
    shorten(open, (run) => {
      const claim = run.claim(`/x/${name}`, content('odd'))
      claim.intend(intent)
      claim.done({ ...uploadObject, slug: 'ș"\n' })
    })
    expect(open().known(content('odd'))).toMatchObject([{ slug: 'ș"\n', name }])
  })
})

describe('the uploads of another key', () => {
  async function taken() {
    const spot = await place()
    shorten(spot.open)
    const recent = spot.open({ after: 61_000 })
    uploadOne(recent, '/recent.jpg', 'recent')
    recent.close()
    return { ...spot, adopt: (journal: Journal) => journal.otherKeys().map((other) => journal.adopt(other)) }
  }
  const regenerated = { apiKey: 'regenerated', after: 70_000 }

  test('are offered to a key that is new to this machine until it has its own, and are taken over', async () => {
    const { open, adopt } = await taken()
    const fresh = open(regenerated)
    const [other, ...none] = fresh.otherKeys()
    expect([none, other?.slugs.has('m3'), other?.slugs.has('recent')]).toEqual([[], true, true])
    expect([adopt(fresh), knownSlugs(fresh, 'm3'), knownSlugs(fresh, 'recent')]).toEqual([[true], ['m3'], ['recent']])
    expect([fresh.otherKeys(), knownSlugs(open(), 'm3')]).toEqual([[], []])
  })

  test('are taken over by the next run where this one is killed between the record and the journal', async () => {
    const { open, path, adopt } = await taken()
    const before = await readFile(path)
    const killed = open(regenerated)
    adopt(killed)
    const begun = { type: 'adopting', ...accountOf('regenerated'), from: accountOf('secret') } as const
    await writeFile(path, `${before}${toLine(begun)}\n`)
    const next = open(regenerated)
    expect([knownSlugs(next, 'm3'), knownSlugs(next, 'recent')]).toEqual([['m3'], []])
    expect([adopt(next), knownSlugs(next, 'recent'), next.otherKeys()]).toEqual([[true], ['recent'], []])
  })

  test('are not taken over while another process rewrites the journal, and are where only the record is left', async () => {
    const { open, path, adopt } = await taken()
    const fresh = open(regenerated)
    await writeFile(`${path}.lock`, JSON.stringify(thisProcess()))
    expect([adopt(fresh), knownSlugs(fresh, 'm3'), fresh.otherKeys().length]).toEqual([[false], [], 1])
    await rm(`${path}.lock`)
    await rm(path)
    expect([adopt(fresh), knownSlugs(fresh, 'm3')]).toEqual([[true], ['m3']])
  })

  test('are taken over from the journal where a newer version wrote the record', async () => {
    const { open, recordPath, problems } = await taken()
    const fresh = open(regenerated)
    const [other] = fresh.otherKeys()
    const newer = (await readFile(recordPath, 'latin1')).replace('fh-record 2', 'fh-record 3')
    await writeFile(recordPath, newer)
    expect([other && fresh.adopt(other), problems]).toEqual([true, []])
    expect(await readFile(recordPath, 'latin1')).toBe(newer)
    await rm(recordPath)
    expect(knownSlugs(open(regenerated), 'recent')).toEqual(['recent'])
  })
})

test('lines appended during and after a rewrite are kept, those of an earlier version too', async () => {
  const { file, path } = await place()
  const [one, other] = [file(), file()]
  one.append('old')
  const done = one.rewrite(() => {
    other.append('late')
    appendFileSync(path, '\nlast')
    return ['new']
  })
  other.append('later')
  expect([done, one.lines()]).toEqual([true, ['new', 'late', 'last', 'later']])
})

test('a journal of an earlier version, whose last line has no line end, is read, continued and rewritten', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('new')
  await writeFile(path, '\nold\nlast')
  expect(journal.lines()).toEqual(['old', 'last'])
  expect(journal.rewrite((lines) => lines.slice(1))).toBe(true)
  expect(journal.lines()).toEqual(['last'])
  await writeFile(path, '\nold\nlast')
  journal.append('next')
  expect(journal.lines()).toEqual(['old', 'last', 'next'])
})

test('no rewrite begins while another process holds the lock', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('a')
  await writeFile(`${path}.lock`, JSON.stringify(thisProcess()))
  expect([journal.rewrite(() => []), journal.rewrite(() => []), journal.lines()]).toEqual([false, false, ['a']])
})

test('a journal that can no longer be written is reported once, and the run continues', async () => {
  const { open, path, problems } = await place()
  const journal = open()
  uploadOne(journal, '/a', 'a')
  await rm(join(path, '..'), { recursive: true })
  await writeFile(join(path, '..'), '')
  uploadOne(journal, '/b', 'b')
  uploadOne(journal, '/c', 'c')
  expect(knownSlugs(journal, 'c')).toEqual(['c'])
  expect(problems).toEqual([expect.stringMatching(/^(part of its path is no folder|something else has that name)$/)])
})

describe('a run at work', () => {
  const unread = { size: 5, sha256: '' }

  test.each([
    ['whose folder is removed', (path: string) => rm(join(path, '..'), { recursive: true })],
    ['that is emptied', (path: string) => writeFile(path, '')],
    [
      'that is replaced by another one',
      (path: string) => rm(path).then(() => writeFile(path, '{"type":"end","run":"x"}')),
    ],
  ])('tells again what it holds in a journal %s', async (_, lose) => {
    const { open, path, problems } = await place()
    const run = open()
    uploadOne(run, '/a.jpg', 'a')
    const claim = run.claim('/b.jpg', content('b'))
    claim.intend(intent)
    await lose(path)
    // One more of its own files with the same content, and another run.
    expect(run.claim('/b2.jpg', content('b')).standing()).toMatchObject({ type: 'waits', holder: { id: claim.id } })
    const other = open()
    expect(other.claim('/b3.jpg', content('b')).standing()).toMatchObject({ type: 'waits', holder: { id: claim.id } })
    claim.done({ ...uploadObject, slug: 'b' })
    expect([knownSlugs(run, 'a'), knownSlugs(open(), 'b'), problems]).toEqual([['a'], ['b'], []])
  })

  test('does not pass for ended in a journal from which nothing but its beginning is lost', async () => {
    const { open, path } = await place()
    const run = open()
    run.claim('/a.jpg', content('a')).end('not-stored')
    await rm(path)
    run.claim('/b.jpg', content('b'))
    expect(open().claim('/b2.jpg', content('b')).standing()).toMatchObject({ type: 'waits' })
  })

  test('goes on with what it knows of a journal that cannot be read any more, and says so once', async () => {
    const { open, path, problems } = await place()
    const run = open()
    const claim = run.claim('/a.jpg', content('a'))
    await rm(path)
    await symlink('elsewhere', path)
    claim.intend(intent)
    expect([claim.standing(), run.latest().slugs, run.unsettled()]).toEqual([{ type: 'first' }, [], []])
    claim.done({ ...uploadObject, slug: 'a' })
    expect([knownSlugs(run, 'a'), problems]).toEqual([['a'], [expect.stringContaining('is a link')]])
  })

  test('remembers what it stored while the journal could not be read and written, and reads it again after that', async () => {
    const { open, path, problems } = await place()
    const run = open()
    const claim = run.claim('/a.jpg', content('a'))
    await rename(path, `${path}-aside`)
    await mkdir(path)
    claim.intend(intent)
    claim.done({ ...uploadObject, slug: 'a' })
    expect(knownSlugs(run, 'a')).toEqual(['a'])
    await rm(path, { recursive: true })
    await rename(`${path}-aside`, path)
    const other = open().claim('/b.jpg', content('b'))
    expect(run.claim('/b2.jpg', content('b')).standing()).toMatchObject({ type: 'waits', holder: { id: other.id } })
    run.close()
    expect([knownSlugs(open(), 'a'), problems.length]).toEqual([['a'], 1])
  })

  test('hashes a file of a size that another run has stored, and moved to the record, since it began', async () => {
    const { open } = await place()
    const run = open()
    expect(run.mayHave(5)).toBe(false)
    shorten(open)
    open({ after: 200_000 }).close()
    expect([run.mayHave(5), run.claim('/m3.jpg', unread).standing().type]).toEqual([true, 'first'])
  })
})

test.each([
  ['that begins with a fact', '\n{"type":"end","run":"a"}\n', true],
  ['whose first fact stands behind thousands of empty lines', `${'\n'.repeat(4_090)}{"type":"end","run":"a"}\n`, true],
  ['that is empty', '', true],
  ['with other text behind thousands of empty lines', `${'\n'.repeat(5_000)}precious`, false],
  ['that begins with other text', 'precious\n{"type":"end","run":"a"}\n', false],
])('of a long file %s the first lines with a text tell whether it is a journal', async (_, text, is) => {
  const { file, path } = await place()
  expect(file().isJournal()).toBe(true)
  file().append('')
  await writeFile(path, text + '\n{"type":"end","run":"b"}'.repeat(text === '' ? 0 : 1_000))
  expect(file().isJournal()).toBe(is)
})

test('a line nested too deep to be written again is skipped', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  expect(parseLines([`{"type":"end","run":"a","x":${deep}}`, '{"type":"end","run":"b"}'])).toEqual([
    { type: 'end', run: 'b' },
  ])
})
