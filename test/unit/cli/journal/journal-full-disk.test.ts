import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openJournalFile } from '../../../../src/cli/journal/journal-file.ts'

/** How many bytes the disk takes of each further write. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }))

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>()
  return {
    ...fs,
    writeSync: (file: number, bytes: string | Buffer) => {
      const all = Buffer.from(bytes)
      return fs.writeSync(file, all, 0, Math.min(all.length, disk.room))
    },
  }
})

async function journal() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-journal-'))
  onTestFinished(async () => {
    disk.room = Number.POSITIVE_INFINITY
    await rm(folder, { recursive: true })
  })
  const path = join(folder, 'uploads.journal')
  return { folder, path, file: openJournalFile(path, { makeFolder: true }) }
}

test('an append throws when the disk takes only a part of the line', async () => {
  const { file } = await journal()
  disk.room = 3
  expect(() => file.append('{"type":"dropped"}')).toThrow('in part only: is the disk full?')
})

test('a rewrite leaves the journal alone when the disk takes only a part of the draft', async () => {
  const { folder, path, file } = await journal()
  for (const line of ['a', 'b', 'c']) file.append(line)
  const before = await readFile(path)
  disk.room = 3
  expect(() => file.rewrite((lines) => lines)).toThrow('in part only: is the disk full?')
  expect(await readFile(path)).toEqual(before)
  expect(await readdir(folder)).toEqual(['uploads.journal'])
})
