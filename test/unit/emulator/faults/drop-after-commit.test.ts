import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, sendFile } from '../emulated.ts'

test('an upload whose answer was dropped is in the data folder, with its log entry', async () => {
  const data = temporaryFolder()
  const first = await emulated({ data })
  first.control.faults.set([{ action: { type: 'commit_then_drop' } }])
  await expect(sendFile(first, 1_000)).rejects.toThrow('fetch failed')
  await first.close()
  const second = await emulated({ data })
  expect(second.control.health().uploads).toBe(1)
  expect(second.control.requests.list().requests).toMatchObject([{ status: 201, fault: 'commit_then_drop' }])
  expect(second.control.faults.list()).toEqual([])
})
