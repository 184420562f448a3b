import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { makeSpoolFolder, sweepSpoolFolders } from '../../../../../../src/cli/commands/upload/sources/spool-folders.ts'
import { spoolSource, spoolStream } from '../../../../../../src/cli/commands/upload/sources/spooled-file.ts'
import { until } from '../../../../../helpers/until.ts'

vi.mock('../../../../../../src/cli/commands/upload/sources/spool-folders.ts', { spy: true })

const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
const options = { name: 'photo.jpg', maxFileSizeBytes: 100, anyType: false, signal: new AbortController().signal }

test('standard input is stored though what earlier runs left cannot be looked through', async () => {
  vi.mocked(sweepSpoolFolders).mockRejectedValueOnce(new Error('EIO: i/o error, lstat'))
  await using file = await spoolStream(Readable.from([jpeg]), options)
  expect(await readFile(file.path)).toEqual(jpeg)
  expect(sweepSpoolFolders).toHaveBeenCalledOnce()
})

test('a source is closed if no folder can be made for its copy, and the error names the folder', async () => {
  vi.mocked(makeSpoolFolder).mockRejectedValueOnce(Object.assign(new Error('ENOTDIR'), { code: 'ENOTDIR' }))
  const stream = new Readable({ read() {} })
  stream.push(Buffer.concat([jpeg, Buffer.alloc(8_192)]))
  await expect(spoolSource({ stream, name: 'photo.jpg' }, options)).rejects.toMatchObject({
    code: 'file-unwritable',
    message: expect.stringContaining(`The copy cannot be written to ${tmpdir()}: `),
  })
  await until(() => stream.destroyed)
})
