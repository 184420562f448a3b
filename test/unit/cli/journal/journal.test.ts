import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createJournal } from '../../../../src/cli/journal/journal.ts'
import { parseLines, toLine } from '../../../../src/cli/journal/journal-facts.ts'
import { openJournalFile } from '../../../../src/cli/journal/journal-file.ts'
import { thisProcess } from '../../../../src/system/process-identity.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { uploadObject } from '../../../helpers/media.ts'

const credentials = { baseUrl: 'http://h', apiKey: 'secret' }
const clock = instantClock()
const intent = { size: 5, mimeType: 'image/jpeg', startedAt: clock.now(), endedAt: null, knownSlugs: [] }

async function place() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-journal-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'state', 'uploads.journal')
  const problems: string[] = []
  const file = () => openJournalFile(path, { makeFolder: true })
  return {
    path,
    problems,
    file,
    open: () => createJournal({ credentials, clock, file: file(), onProblem: (reason) => problems.push(reason) }),
    /** As if all who wrote had been killed. */
    bury: () => replaceAll(path, `"pid":${process.pid}`, '"pid":4194999'),
    /** As if all who wrote were where nobody can look for them. */
    carryOff: (part: 'host' | 'space') => replaceAll(path, `"${part}":"${thisProcess()[part]}"`, `"${part}":"far"`),
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

test('two runs at once write into one journal, and neither takes what the other has', async () => {
  const { open, bury, problems } = await place()
  const [one, other] = [open(), open()]
  for (let turn = 0; turn < 20; turn += 1) {
    uploadOne(one, `/one-${turn}`, `one${turn}`)
    uploadOne(other, `/other-${turn}`, `other${turn}`)
  }
  expect(open().stored('/one-3')).toEqual([])
  await bury()
  const later = open()
  expect(later.stored('/one-3').map(({ upload }) => upload.slug)).toEqual(['one3'])
  expect(later.stored('/other-19').map(({ upload }) => upload.slug)).toEqual(['other19'])
  expect(problems).toEqual([])
})

test.each(['host', 'space'] as const)(
  'a run of another %s hides nothing, however lately it was at work',
  async (part) => {
    const { open, carryOff, problems } = await place()
    const far = open()
    uploadOne(far, '/done', 'done')
    far.item('/open').intend(intent, '')
    await carryOff(part)
    const here = open()
    expect(here.stored('/done').map(here.take)).toEqual([true])
    expect(here.unsettled().map((entry) => entry.intent.path)).toEqual(['/open'])
    expect(problems).toEqual([])
  },
)

test('a run of another machine is kept in a journal that is rewritten, for those who can see it', async () => {
  const { open, bury, carryOff, path } = await place()
  const complete = open()
  for (let turn = 0; turn < 200; turn += 1) uploadOne(complete, `/c-${turn}`, `c${turn}`)
  complete.end(true)
  await bury()
  const far = open()
  const item = far.item('/far')
  item.intend(intent, '')
  item.notStored()
  await carryOff('host')
  open()
  const text = await readFile(path, 'utf8')
  expect(text.length).toBeLessThan(2_000)
  expect(text).toContain('"type":"run"')
})

test('one upload is taken once', async () => {
  const { open, bury } = await place()
  uploadOne(open(), '/a', 'a')
  await bury()
  const later = open()
  const entries = later.stored('/a')
  expect(entries.map(later.take)).toEqual([true])
  expect(entries.map(later.take)).toEqual([false])
})

test('what was in flight is unsettled, with all that is known of other uploads', async () => {
  const { open, bury } = await place()
  const killed = open()
  uploadOne(killed, '/a', 'a')
  killed.item('/b').intend(intent, '')
  await bury()
  const later = open()
  const [entry, ...rest] = later.unsettled()
  expect(rest).toEqual([])
  expect(entry && later.intentOf(entry)).toEqual({ ...intent, knownSlugs: ['a'] })
  if (entry) later.settle(entry, { type: 'stored', upload: { ...uploadObject, slug: 'b' } })
  expect(later.unsettled()).toEqual([])
  expect(later.stored('/b').map(({ upload }) => upload.slug)).toEqual(['b'])
})

test('after thirty days nothing is skipped any more', async () => {
  const { open, bury, file } = await place()
  uploadOne(open(), '/a', 'a')
  await bury()
  const later = { ...clock, now: () => clock.now() + 31 * 86_400_000 }
  expect(createJournal({ credentials, clock: later, file: file(), onProblem: () => {} }).stored('/a')).toEqual([])
})

test('a long journal is rewritten without the runs that are complete', async () => {
  const { open, bury, path } = await place()
  const complete = open()
  for (let turn = 0; turn < 200; turn += 1) uploadOne(complete, `/c-${turn}`, `c${turn}`)
  const killed = open()
  complete.end(true)
  uploadOne(killed, '/killed', 'k')
  await bury()
  expect((await readFile(path)).length).toBeGreaterThan(65_536)
  const later = open()
  expect((await readFile(path)).length).toBeLessThan(2_000)
  expect(later.stored('/killed')).toHaveLength(1)
  expect(open().stored('/killed')).toHaveLength(1)
})

test('what is appended while a journal is rewritten is kept', async () => {
  const { file } = await place()
  const [one, other] = [file(), file()]
  one.append('\nold')
  const done = one.rewrite((text) => {
    other.append('\nlate')
    return text.replace('old', 'new')
  })
  other.append('\nlater')
  expect([done, one.read()]).toEqual([true, '\nnew\nlate\nlater'])
})

test('a rewriting that is under way is left alone, and one that was killed is cleared away', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('\na')
  const lock = `${path}.lock`
  await writeFile(lock, JSON.stringify(thisProcess()))
  expect([journal.rewrite(() => ''), journal.rewrite(() => '')]).toEqual([false, false])
  await writeFile(lock, JSON.stringify({ ...thisProcess(), pid: 4_194_999 }))
  expect([journal.rewrite(() => ''), journal.rewrite(() => ''), journal.read()]).toEqual([false, true, ''])
})

test('a rewriting by a process of the same id that was another one is cleared away', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('\na')
  await writeFile(`${path}.lock`, JSON.stringify({ ...thisProcess(), start: 'another' }))
  expect([journal.rewrite(() => ''), journal.rewrite(() => '')]).toEqual([false, true])
})

test('a rewriting in another container is left alone, whatever process has its id here, for ten minutes', async () => {
  const { file, path } = await place()
  const journal = file()
  journal.append('\na')
  const lock = `${path}.lock`
  await writeFile(lock, JSON.stringify({ ...thisProcess(), space: 'elsewhere', pid: 4_194_999 }))
  expect([journal.rewrite(() => ''), journal.rewrite(() => '')]).toEqual([false, false])
  const before = new Date(Date.now() - 601_000)
  await utimes(lock, before, before)
  expect([journal.rewrite(() => ''), journal.rewrite(() => ''), await readdir(dirname(path))]).toEqual([
    false,
    true,
    ['uploads.journal'],
  ])
})

test('a journal that can be written no more is told of once, and done without', async () => {
  const { open, path, problems } = await place()
  const journal = open()
  uploadOne(journal, '/a', 'a')
  await rm(join(path, '..'), { recursive: true })
  await writeFile(join(path, '..'), '')
  uploadOne(journal, '/b', 'b')
  uploadOne(journal, '/c', 'c')
  expect(problems).toEqual([expect.stringMatching(/^(part of its path is no folder|something else has that name)$/)])
})

test('a line torn by a kill does not reach the next', async () => {
  const { open, path, bury } = await place()
  uploadOne(open(), '/a', 'a')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text + toLine({ type: 'dropped', id: 'x' }).slice(0, 10))
  uploadOne(open(), '/b', 'b')
  await bury()
  const later = open()
  expect([later.stored('/a').length, later.stored('/b').length]).toEqual([1, 1])
})

describe.skipIf(process.platform === 'win32')('a link', () => {
  test('in the place of the journal is neither read nor written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fh-journal-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [path, precious] = [join(folder, 'uploads.journal'), join(folder, 'precious')]
    await writeFile(precious, 'kept')
    await symlink(precious, path)
    const file = openJournalFile(path, { makeFolder: true })
    const message = `${path} is a link, which is not followed`
    expect(() => file.read()).toThrow(message)
    expect(() => file.append('\na')).toThrow(message)
    expect(() => file.rewrite(() => '')).toThrow(message)
    expect(await readFile(precious, 'utf8')).toBe('kept')
  })

  test('in the place of the lock is not read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fh-journal-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'uploads.journal')
    const file = openJournalFile(path, { makeFolder: true })
    file.append('\na')
    await symlink('/dev/null', `${path}.lock`)
    expect(() => file.rewrite(() => '')).toThrow(`${path}.lock is a link, which is not followed`)
  })
})

test('a line that is nested too deep to be written again is passed over', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  expect(parseLines(`\n{"type":"dropped","id":"a","x":${deep}}\n{"type":"dropped","id":"b"}`)).toEqual([
    { type: 'dropped', id: 'b' },
  ])
})
