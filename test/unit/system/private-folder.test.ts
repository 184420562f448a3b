import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePrivateFolder } from '../../../src/system/private-folder.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

test('a private folder is made with its parents, for its owner only', () => {
  const root = temporaryFolder()
  const folder = join(root, 'state', 'fh')
  expect([makePrivateFolder(folder), makePrivateFolder(folder)]).toEqual([true, false])
  if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test.skipIf(!existsSync('/proc/self'))('where no folder can be made the attempt ends', () => {
  expect(() => makePrivateFolder('/proc/none/state')).toThrow(/ENOENT|EACCES|EROFS|EPERM/)
})
