import { appendFileSync } from 'node:fs'
import { readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createJournal } from '../../../../src/cli/journal/journal.ts'
import { parseLines, toLine } from '../../../../src/cli/journal/journal-facts.ts'
import { openJournalFile } from '../../../../src/cli/journal/journal-file.ts'
import { thisProcess } from '../../../../src/system/process-identity.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { uploadObject } from '../../../helpers/media.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

const credentials = { baseUrl: 'http://h', apiKey: 'secret' }
const clock = instantClock()
const intent = { size: 5, mimeType: 'image/jpeg', startedAt: clock.now(), endedAt: null, knownSlugs: [] }

async function place() {
  const folder = temporaryFolder()
  const path = join(folder, 'state', 'uploads.journal')
  const problems: string[] = []
  const file = () => openJournalFile(path, { makeFolder: true })
  return {
    path,
    problems,
    file,
    open: () => createJournal({ credentials, clock, file: file(), onProblem: (reason) => problems.push(reason) }),
    /** Pretends that all processes that wrote to the journal were killed. */
    killAll: () => replaceAll(path, `"pid":${process.pid}`, '"pid":4194999'),
    /** Pretends that all processes that wrote to the journal run on another host or in another container. */
    moveAway: (part: 'host' | 'space') => replaceAll(path, `"${part}":"${thisProcess()[part]}"`, `"${part}":"far"`),
  }
}

async function replaceAll(path: string, text: string, by: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(text, by))
}

function uploadOne(journal: ReturnType<typeof createJournal>, path: string, slug: string) {
  const item = journal.item(path)
  item.intend(intent, 'hash')
  item.done({ ...uploadObject, slug })
}

test('two runs write to one journal at the same time, and their uploads are offered once both were killed', async () => {
  const { open, killAll, problems } = await place()
  const [one, other] = [open(), open()]
  for (let turn = 0; turn < 20; turn += 1) {
    uploadOne(one, `/one-${turn}`, `one${turn}`)
    uploadOne(other, `/other-${turn}`, `other${turn}`)
  }
  expect(open().stored('/one-3')).toEqual([])
  await killAll()
  const later = open()
  expect(later.stored('/one-3').map(({ upload }) => upload.slug)).toEqual(['one3'])
  expect(later.stored('/other-19').map(({ upload }) => upload.slug)).toEqual(['other19'])
  expect(problems).toEqual([])
})

test.each(['host', 'space'] as const)(
  'the uploads of a run in another %s are offered although it was at work a moment ago',
  async (part) => {
    const { open, moveAway, problems } = await place()
    const far = open()
    uploadOne(far, '/done', 'done')
    far.item('/open').intend(intent, '')
    await moveAway(part)
    const here = open()
    expect(here.stored('/done').map(here.take)).toEqual([true])
    expect(here.unsettled().map((entry) => entry.intent.path)).toEqual(['/open'])
    expect(problems).toEqual([])
  },
)

test('a rewrite keeps the run of another machine, whose processes can check it', async () => {
  const { open, killAll, moveAway, path } = await place()
  const complete = open()
  for (let turn = 0; turn < 200; turn += 1) uploadOne(complete, `/c-${turn}`, `c${turn}`)
  complete.end(true)
  await killAll()
  const far = open()
  const item = far.item('/far')
  item.intend(intent, '')
  item.notStored()
  await moveAway('host')
  open()
  const text = await readFile(path, 'utf8')
  expect(text.length).toBeLessThan(2_000)
  expect(text).toContain('"type":"run"')
})

test('an upload can be taken once', async () => {
  const { open, killAll } = await place()
  uploadOne(open(), '/a', 'a')
  await killAll()
  const later = open()
  const entries = later.stored('/a')
  expect(entries.map(later.take)).toEqual([true])
  expect(entries.map(later.take)).toEqual([false])
})

test('an upload that was under way in a killed run is unsettled until its outcome is recorded', async () => {
  const { open, killAll } = await place()
  const killed = open()
  uploadOne(killed, '/a', 'a')
  killed.item('/b').intend(intent, '')
  await killAll()
  const later = open()
  const [entry, ...rest] = later.unsettled()
  expect(rest).toEqual([])
  expect(entry && later.intentOf(entry)).toEqual({ ...intent, knownSlugs: ['a'] })
  if (entry) later.settle(entry, { type: 'stored', upload: { ...uploadObject, slug: 'b' } })
  expect(later.unsettled()).toEqual([])
  expect(later.stored('/b').map(({ upload }) => upload.slug)).toEqual(['b'])
})

test('an upload older than thirty days is not offered', async () => {
  const { open, killAll, file } = await place()
  uploadOne(open(), '/a', 'a')
  await killAll()
  const later = { ...clock, now: () => clock.now() + 31 * 86_400_000 }
  expect(createJournal({ credentials, clock: later, file: file(), onProblem: () => {} }).stored('/a')).toEqual([])
})

test('opening a long journal rewrites it without complete runs', async () => {
  const { open, killAll, path } = await place()
  const complete = open()
  for (let turn = 0; turn < 200; turn += 1) uploadOne(complete, `/c-${turn}`, `c${turn}`)
  const killed = open()
  complete.end(true)
  uploadOne(killed, '/killed', 'k')
  await killAll()
  expect((await readFile(path)).length).toBeGreaterThan(65_536)
  const later = open()
  expect((await readFile(path)).length).toBeLessThan(2_000)
  expect(later.stored('/killed')).toHaveLength(1)
  expect(open().stored('/killed')).toHaveLength(1)
})

test('lines appended during and after a rewrite are kept', async () => {
  const { file } = await place()
  const [one, other] = [file(), file()]
  one.append('old')
  const done = one.rewrite(() => {
    other.append('late')
    return ['new']
  })
  other.append('later')
  expect([done, one.lines()]).toEqual([true, ['new', 'late', 'later']])
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

test('a line of an earlier version that is appended during a rewrite is kept', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('old')
  journal.rewrite(() => {
    appendFileSync(path, '\nlate')
    return ['new']
  })
  expect(journal.lines()).toEqual(['new', 'late'])
})

test('no rewrite begins while another process holds the lock; the lock of a killed process is removed for the next try', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('a')
  const lock = `${path}.lock`
  await writeFile(lock, JSON.stringify(thisProcess()))
  expect([journal.rewrite(() => []), journal.rewrite(() => [])]).toEqual([false, false])
  await writeFile(lock, JSON.stringify({ ...thisProcess(), pid: 4_194_999 }))
  expect([journal.rewrite(() => []), journal.rewrite(() => []), journal.lines()]).toEqual([false, true, []])
})

test('a lock of an earlier process with the same id is removed for the next try', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('a')
  await writeFile(`${path}.lock`, JSON.stringify({ ...thisProcess(), start: 'another' }))
  expect([journal.rewrite(() => []), journal.rewrite(() => [])]).toEqual([false, true])
})

test('a lock from another container is respected for ten minutes, even if no process here has its id', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('a')
  const lock = `${path}.lock`
  await writeFile(lock, JSON.stringify({ ...thisProcess(), space: 'elsewhere', pid: 4_194_999 }))
  expect([journal.rewrite(() => []), journal.rewrite(() => [])]).toEqual([false, false])
  const before = new Date(Date.now() - 601_000)
  await utimes(lock, before, before)
  expect([journal.rewrite(() => []), journal.rewrite(() => []), await readdir(dirname(path))]).toEqual([
    false,
    true,
    ['uploads.journal'],
  ])
})

test('a journal that can no longer be written is reported once, and the run continues', async () => {
  const { open, path, problems } = await place()
  const journal = open()
  uploadOne(journal, '/a', 'a')
  await rm(join(path, '..'), { recursive: true })
  await writeFile(join(path, '..'), '')
  uploadOne(journal, '/b', 'b')
  uploadOne(journal, '/c', 'c')
  expect(problems).toEqual([expect.stringMatching(/^(part of its path is no folder|something else has that name)$/)])
})

test('a line torn by a kill does not affect the next line', async () => {
  const { open, path, killAll } = await place()
  uploadOne(open(), '/a', 'a')
  const text = await readFile(path, 'utf8')
  await writeFile(path, `${text}\n${toLine({ type: 'dropped', id: 'x' }).slice(0, 10)}`)
  uploadOne(open(), '/b', 'b')
  await killAll()
  const later = open()
  expect([later.stored('/a').length, later.stored('/b').length]).toEqual([1, 1])
})

describe.skipIf(process.platform === 'win32')('a symbolic link', () => {
  test('in place of the journal is neither read nor written', async () => {
    const folder = temporaryFolder()
    const [path, precious] = [join(folder, 'uploads.journal'), join(folder, 'precious')]
    await writeFile(precious, 'kept')
    await symlink(precious, path)
    const file = openJournalFile(path, { makeFolder: true })
    const message = `${path} is a link, which is not followed`
    expect(() => file.lines()).toThrow(message)
    expect(() => file.append('a')).toThrow(message)
    expect(() => file.rewrite(() => [])).toThrow(message)
    expect(await readFile(precious, 'utf8')).toBe('kept')
  })

  test('in place of the lock is not read', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'uploads.journal')
    const file = openJournalFile(path, { makeFolder: true })
    file.append('a')
    await symlink('/dev/null', `${path}.lock`)
    expect(() => file.rewrite(() => [])).toThrow(`${path}.lock is a link, which is not followed`)
  })
})

test('a line nested too deep to be written again is skipped', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  expect(parseLines([`{"type":"dropped","id":"a","x":${deep}}`, '{"type":"dropped","id":"b"}'])).toEqual([
    { type: 'dropped', id: 'b' },
  ])
})
