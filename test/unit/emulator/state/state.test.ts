import { expect, test } from 'vitest'
import { createSwitchableClock } from '../../../../emulator/clock/switchable-clock.ts'
import { createFaultBook } from '../../../../emulator/faults/fault-book.ts'
import { createInventions } from '../../../../emulator/service/inventions.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import { createState } from '../../../../emulator/state/state.ts'
import { createMemoryStorage } from '../../../../emulator/storage/storage.ts'

test('a reset and a restore remove the files of the uploads they replace', async () => {
  const storage = createMemoryStorage()
  const settings = createSettings()
  const nothing = () => {}
  const state = createState({
    ...storage,
    settings,
    inventions: createInventions(),
    clock: createSwitchableClock('virtual'),
    clockStart: { mode: 'virtual', nowMs: 0 },
    faults: createFaultBook(),
    prepare: async () => nothing,
    resume: nothing,
  })
  const store = async (slug: string) => {
    const writer = storage.blobs.create()
    await writer.write(Buffer.from(slug))
    await writer.commit()
    const upload = { accountId: 1, title: null, mimeType: 'image/jpeg', sizeBytes: 1, views: 0, likes: 0, createdAt: 0 }
    storage.records.uploads.insert({ ...upload, slug, blobId: writer.id, thumbnail: { state: 'none' } })
    return writer.id
  }
  const read = async (id: string) => {
    for await (const chunk of storage.blobs.read(id)) return String(chunk)
    return ''
  }

  const empty = await state.snapshot()
  const first = await store('first')
  expect(await read(first)).toBe('first')
  await state.reset()
  await expect(read(first)).rejects.toThrow('There is no blob')
  const second = await store('second')
  await state.restore(empty)
  await expect(read(second)).rejects.toThrow('There is no blob')
})
