import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, json, send, sendFile } from '../emulated.ts'

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

test('after two restores at once the clock and the records are those of the second', async () => {
  const emulator = await withFiles(1)
  const { control } = emulator
  const one = await control.state.get()
  await control.clock.advance('60s')
  await sendFile(emulator, 200)
  const other = await control.state.get()
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    await Promise.all([control.state.restore(first), control.state.restore(second)])
    const now = await control.state.get()
    expect([now.clock, filesIn(now)]).toEqual([second.clock, filesIn(second)])
  }
})

test('a snapshot lists an upload that is deleted while it is made', async () => {
  const emulator = await withFiles(2)
  const { slug } = (await json(send(emulator, 'GET', '/api/uploads'))).data[0] ?? {}
  const making = emulator.control.state.get()
  await send(emulator, 'DELETE', `/api/uploads/${slug}`)
  const { missing, ...snapshot } = await making
  // The deletion may come before the snapshot, after it or amid it.
  const files = missing === undefined ? [filesIn(snapshot)[0]] : [1]
  expect([1, 2]).toEqual(expect.arrayContaining(files))
  expect(filesIn(snapshot)).toEqual([...files, ...files])
  for (const { upload, reason } of missing ?? []) {
    expect([upload, reason]).toEqual([
      expect.objectContaining({ slug }),
      expect.stringContaining('it was deleted while the snapshot was made'),
    ])
  }
})
