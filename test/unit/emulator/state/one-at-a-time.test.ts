import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, sendFile } from '../emulated.ts'

async function withFiles(count: number) {
  const emulator = await emulated({ data: temporaryFolder(), settings: { thumbnail: 'never' } })
  for (let size = 100; size < 100 + count; size += 1) {
    expect((await sendFile(emulator, size)).status).toBe(201)
  }
  return emulator
}

const filesIn = ({ records, blobs }: { readonly records: object; readonly blobs: object }) => [
  (records as { readonly uploads: readonly object[] }).uploads.length,
  Object.keys(blobs).length,
]

test('a snapshot that a reset meets has every file, and the next one has none', async () => {
  const { control } = await withFiles(5)
  const [before, , after] = await Promise.all([control.state.get(), control.reset(), control.state.get()])
  expect([filesIn(before), before.missing, filesIn(after)]).toEqual([[5, 5], undefined, [0, 0]])
})
