import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { createJournal } from '../../../src/contents/journal.ts'
import { openJournalFile } from '../../../src/contents/journal-file.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { uploadObject } from '../../helpers/media.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

/** How many bytes the disk takes of each further write, and whether the process is killed after a rename. */
const system = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY, kills: false }))

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>()
  return {
    ...fs,
    writeSync: (file: number, bytes: string | Buffer) => {
      const all = Buffer.from(bytes)
      return fs.writeSync(file, all, 0, Math.min(all.length, system.room))
    },
    renameSync(from: string, to: string) {
      fs.renameSync(from, to)
      if (system.kills) throw new Error('killed')
    },
  }
})

beforeEach(() => {
  Object.assign(system, { room: Number.POSITIVE_INFINITY, kills: false })
})

function journal() {
  const path = join(temporaryFolder(), 'uploads.journal')
  const open = () => openJournalFile(path, { makeFolder: true })
  return { path, open, file: open() }
}

test('an append throws when the disk takes only a part of the line', () => {
  const { file } = journal()
  system.room = 3
  expect(() => file.append('{"type":"dropped"}')).toThrow('in part only: is the disk full?')
})

test('a rewrite leaves the journal alone when the disk takes only a part of the draft', () => {
  const { path, file } = journal()
  for (const line of ['a', 'b', 'c']) file.append(line)
  const before = readFileSync(path)
  system.room = 3
  expect(() => file.rewrite((lines) => lines)).toThrow('in part only: is the disk full?')
  expect([readFileSync(path), readdirSync(dirname(path))]).toEqual([before, ['uploads.journal']])
})

test('lines that others append during a rewrite survive when the rewriting process is killed right after its rename', () => {
  const { open, file } = journal()
  const another = open()
  for (const line of ['a', 'b']) file.append(line)
  system.kills = true
  const shorten = () => {
    another.append('c')
    return ['b']
  }
  expect(() => file.rewrite(shorten)).toThrow('killed')
  expect(another.lines()).toEqual(['b', 'c'])
})

test('a rewrite whose file another process has replaced meanwhile changes nothing', () => {
  const { path, open, file } = journal()
  file.append('a')
  const replaced = () => {
    rmSync(path)
    open().append('b')
    return ['a']
  }
  expect(file.rewrite(replaced)).toBe(false)
  expect([file.lines(), readdirSync(dirname(path))]).toEqual([['b'], ['uploads.journal']])
})

test('a run waits in vain for another one once the disk has not taken for a minute what it has stored', async () => {
  const { open } = journal()
  const clock = instantClock()
  const credentials = { baseUrl: 'http://h', apiKey: 'key' }
  const run = () => createJournal({ credentials, clock, file: open(), record: undefined, onProblem() {} })
  const [one, other] = [run(), run()]
  other.claim('/b.jpg', { size: 1, sha256: 'b' })
  const claim = one.claim('/b.jpg', { size: 1, sha256: 'b' })
  const stored = one.claim('/a.jpg', { size: 1, sha256: 'a' })
  const standing = claim.standing()
  const holder = standing.type === 'waits' ? standing.holder : undefined
  system.room = 3
  stored.done(uploadObject)
  const answers = [claim.waitsInVain(holder)]
  await clock.sleep(60_000)
  answers.push(claim.waitsInVain(holder))
  system.room = Number.POSITIVE_INFINITY
  answers.push(claim.waitsInVain(holder))
  expect([answers, other.latest().slugs]).toEqual([[false, true, false], [uploadObject.slug]])
})
