import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { sweepSpoolFolders } from '../../../../../../src/cli/commands/upload/sources/spool-folders.ts'
import { spoolStream } from '../../../../../../src/cli/commands/upload/sources/spooled-file.ts'

vi.mock('../../../../../../src/cli/commands/upload/sources/spool-folders.ts', { spy: true })

test('standard input is stored though what earlier runs left cannot be looked through', async () => {
  vi.mocked(sweepSpoolFolders).mockRejectedValueOnce(new Error('EIO: i/o error, lstat'))
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
  const options = { name: 'photo.jpg', maxFileSizeBytes: 100, anyType: false, signal: new AbortController().signal }
  await using file = await spoolStream(Readable.from([jpeg]), options)
  expect(await readFile(file.path)).toEqual(jpeg)
  expect(sweepSpoolFolders).toHaveBeenCalledOnce()
})
