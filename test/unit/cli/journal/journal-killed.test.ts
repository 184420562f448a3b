import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openJournalFile } from '../../../../src/cli/journal/journal-file.ts'

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>()
  return {
    ...fs,
    renameSync(from: string, to: string) {
      fs.renameSync(from, to)
      throw new Error('killed')
    },
  }
})

test('lines that others append during a rewrite survive when the rewriting process is killed right after its rename', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fh-journal-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'uploads.journal')
  const [file, another] = [1, 2].map(() => openJournalFile(path, { makeFolder: true }))
  for (const line of ['a', 'b']) file?.append(line)
  const shorten = () => {
    another?.append('c')
    return ['b']
  }
  expect(() => file?.rewrite(shorten)).toThrow('killed')
  expect(another?.lines()).toEqual(['b', 'c'])
})
