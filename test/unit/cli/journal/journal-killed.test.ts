import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openJournalFile } from '../../../../src/cli/journal/journal-file.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

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
  const folder = temporaryFolder()
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
