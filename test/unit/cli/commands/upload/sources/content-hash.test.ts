import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashFile } from '../../../../../../src/cli/commands/upload/sources/content-hash.ts'
import { temporaryFolder } from '../../../../../helpers/temporary-folder.ts'

test.skipIf(process.platform === 'win32')('hashing a pipe without a writer fails at once', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  await expect(hashFile(pipe, new AbortController().signal)).rejects.toThrow('is not a regular file')
})

test('an abort ends the reading', async () => {
  const path = join(temporaryFolder(), 'a.jpg')
  await writeFile(path, 'x')
  await expect(hashFile(path, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})
