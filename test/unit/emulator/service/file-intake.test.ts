import { expect, test } from 'vitest'
import { createFileIntake } from '../../../../emulator/service/file-intake.ts'
import { createTemporaryBlobs } from '../../../../emulator/storage/temporary-blobs.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** An intake whose writer fails in one step, and the steps the writer is asked for. */
function failing(step: 'write' | 'commit') {
  const steps: string[] = []
  const take = async (name: string) => {
    steps.push(name)
    if (name === step) throw new Error('ENOSPC: no space left on device')
  }
  const writer = {
    id: 'b',
    write: () => take('write'),
    commit: () => take('commit'),
    discard: () => take('discard'),
  }
  const blobs = { ...createTemporaryBlobs(), create: () => writer }
  return { intake: createFileIntake({ blobs, name: 'a.png', maxBytes: 1_000_000, reencode: false }), steps }
}

test('a file that cannot be committed is discarded, and the caller is told why', async () => {
  const { intake, steps } = failing('commit')
  await intake.write(png)
  await expect(intake.finish()).rejects.toThrow('ENOSPC')
  expect(steps).toEqual(['write', 'commit', 'discard'])
})

test('a file of which a part cannot be written is discarded, once', async () => {
  const { intake, steps } = failing('write')
  const large = Buffer.concat([png, Buffer.alloc(100_000)])
  await expect(intake.write(large)).rejects.toThrow('ENOSPC')
  await intake.discard()
  expect(steps).toEqual(['write', 'discard'])
})
