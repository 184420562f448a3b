import { expect, test } from 'vitest'
import { discardingOnFailure } from '../../../../emulator/storage/blob-store.ts'

/** A writer that fails at some steps, and the steps it was asked for. */
function failing(...failures: readonly string[]) {
  const steps: string[] = []
  const take = (step: string) => async () => {
    steps.push(step)
    if (failures.includes(step)) throw new Error(`no room for ${step}`)
  }
  const writer = { id: 'b', write: take('write'), commit: take('commit'), discard: take('discard') }
  return { writer: discardingOnFailure(writer), steps }
}

test('a blob that cannot be committed is discarded, and the caller gets the error', async () => {
  const { writer, steps } = failing('commit')
  await writer.write(Buffer.from('a'))
  await expect(writer.commit()).rejects.toThrow('no room for commit')
  expect(steps).toEqual(['write', 'commit', 'discard'])
})

test('a blob that cannot be written is discarded, and the first error is reported if that fails too', async () => {
  const { writer, steps } = failing('write', 'discard')
  await expect(writer.write(Buffer.from('a'))).rejects.toThrow('no room for write')
  expect(steps).toEqual(['write', 'discard'])
})
