import { expect, test, vi } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/virtual-clock.ts'
import { Thumbnails } from '../../../../emulator/service/thumbnails.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import { openMemoryStorage, type Storage } from '../../../../emulator/storage/open.ts'
import type { Thumbnail } from '../../../../emulator/storage/record-types.ts'
import type { ThumbnailMaker } from '../../../../emulator/thumbnails/thumbnail-maker.ts'
import { upload as uploadOf } from '../storage/records.ts'

/** Counts the existing blobs. */
function countedBlobs({ blobs }: Storage) {
  const existing = new Set<string>()
  const [create, remove] = [blobs.create.bind(blobs), blobs.remove.bind(blobs)]
  blobs.create = () => {
    const writer = create()
    const commit = writer.commit.bind(writer)
    writer.commit = () => commit().then(() => void existing.add(writer.id))
    return writer
  }
  blobs.remove = (id) => {
    existing.delete(id)
    remove(id)
  }
  return Object.assign(blobs, { existing })
}

function rig(makeThumbnail: ThumbnailMaker) {
  const storage = openMemoryStorage()
  const [clock, { records }, blobs] = [createVirtualClock(0), storage, countedBlobs(storage)]
  const settings = createSettings({ thumbnail_delay_ms: 100 })
  const thumbnails = new Thumbnails({ records, blobs, settings, clock, makeThumbnail })
  const add = (slug: string, thumbnail: Thumbnail = thumbnails.initial()) => {
    const upload = records.uploads.insert(uploadOf(slug, { thumbnail }))
    if (upload === undefined) throw new Error(`The slug ${slug} is taken`)
    return upload
  }
  /** Adds uploads whose thumbnails are due after 100 milliseconds. @returns the last */
  const schedule = async (...slugs: readonly string[]) => {
    for (const slug of slugs) await thumbnails.schedule(add(slug))
    const last = records.uploads.findBySlug(slugs.at(-1) ?? '')
    if (last === undefined) throw new Error('There is no upload')
    return last
  }
  const statesOf = (...slugs: readonly string[]) =>
    slugs.map((slug) => records.uploads.findBySlug(slug)?.thumbnail.state)
  return { clock, records, blobs, thumbnails, add, schedule, statesOf }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))
const picture = Buffer.from('picture')

test('thumbnails are made one at a time, in the order they are due', async () => {
  const events: string[] = []
  const { clock, schedule, statesOf } = rig(async () => {
    events.push('begins')
    await nextTurn()
    events.push('ends')
    return picture
  })
  await schedule('a', 'b', 'c')
  await clock.advance(100)
  expect(events).toEqual(['begins', 'ends', 'begins', 'ends', 'begins', 'ends'])
  expect(statesOf('a', 'b', 'c')).toEqual(['ready', 'ready', 'ready'])
})

test('a maker that fails, or makes none, leaves no thumbnail, and the next one is made', async () => {
  const make = vi.fn<ThumbnailMaker>().mockRejectedValueOnce(new Error('broken')).mockResolvedValueOnce(undefined)
  const { clock, schedule, blobs, statesOf } = rig(make.mockResolvedValue(picture))
  await schedule('a', 'b', 'c')
  await clock.advance(100)
  expect([...statesOf('a', 'b', 'c'), blobs.existing.size]).toEqual(['none', 'none', 'ready', 1])
})

test('removing an upload aborts its thumbnail, and nothing is kept', async () => {
  let told: AbortSignal | undefined
  const { clock, records, thumbnails, blobs, schedule } = rig(async (_, signal) => {
    told = signal
    records.uploads.remove('a')
    thumbnails.forget(upload)
    return picture
  })
  const upload = await schedule('a')
  await clock.advance(100)
  expect([told?.aborted, blobs.existing.size]).toEqual([true, 0])
})

test('an upload whose record disappeared keeps no thumbnail', async () => {
  const { clock, records, blobs, schedule } = rig(async () => {
    records.uploads.remove('a')
    return picture
  })
  await schedule('a')
  await clock.advance(100)
  expect(blobs.existing.size).toBe(0)
})

test('removing a thumbnail, or forgetting its upload, removes its bytes', async () => {
  const { clock, records, thumbnails, blobs, schedule, statesOf } = rig(async () => picture)
  await schedule('a', 'b')
  await clock.advance(100)
  expect(blobs.existing.size).toBe(2)
  await thumbnails.set('a', 'none')
  expect([...statesOf('a'), blobs.existing.size]).toEqual(['none', 1])
  const removed = records.uploads.remove('b')
  if (removed !== undefined) thumbnails.forget(removed)
  expect(blobs.existing.size).toBe(0)
})

test('an upload set to have no thumbnail has none, even if one was being made', async () => {
  const make = vi.fn<ThumbnailMaker>((_, signal) => aborted(signal).then(() => picture))
  const { clock, thumbnails, blobs, schedule, statesOf } = rig(make)
  await schedule('a')
  const moved = clock.advance(100)
  while (make.mock.calls.length === 0) await nextTurn()
  await thumbnails.set('a', 'none')
  await moved
  expect([...statesOf('a'), blobs.existing.size]).toEqual(['none', 0])
})

test('a thumbnail requested twice at once is made once', async () => {
  const { thumbnails, blobs, add } = rig(async () => picture)
  add('a')
  await Promise.all([thumbnails.set('a', 'ready'), thumbnails.set('a', 'ready')])
  expect(blobs.existing.size).toBe(1)
})

test('a restart schedules pending thumbnails again, overdue ones at once', async () => {
  const { clock, thumbnails, add, statesOf } = rig(async () => picture)
  add('overdue', { state: 'pending', dueAt: -500 })
  add('later', { state: 'pending', dueAt: 50 })
  add('none', { state: 'none' })
  thumbnails.resume()
  await clock.advance(0)
  expect(statesOf('overdue', 'later', 'none')).toEqual(['ready', 'pending', 'none'])
  await clock.advance(50)
  expect(statesOf('overdue', 'later', 'none')).toEqual(['ready', 'ready', 'none'])
})

test('resuming forgets everything scheduled before', async () => {
  const make = vi.fn(async () => picture)
  const { clock, records, thumbnails, schedule } = rig(make)
  await schedule('a')
  thumbnails.resume()
  records.uploads.remove('a')
  thumbnails.resume()
  await clock.advance(1_000)
  expect(make).not.toHaveBeenCalled()
})

test('closing cancels pending thumbnails and waits for the running one', async () => {
  const events: string[] = []
  const { clock, thumbnails, blobs, schedule, statesOf } = rig(async (_, signal) => {
    events.push('begins')
    await aborted(signal)
    await nextTurn()
    events.push('ends')
    return picture
  })
  await schedule('a', 'b')
  const moved = clock.advance(100)
  while (events.length === 0) await nextTurn()
  await thumbnails.close()
  await moved
  expect([events, statesOf('a', 'b'), blobs.existing.size]).toEqual([['begins', 'ends'], ['pending', 'pending'], 0])
})

test('a thumbnail that was being made when the process died is not tried again', async () => {
  const { clock, records, schedule, statesOf } = rig(() => new Promise(() => {}))
  await schedule('a')
  void clock.advance(100)
  while (statesOf('a')[0] === 'pending') await nextTurn()
  // The records as the next process finds them.
  expect([records.uploads.awaitingThumbnail(), ...statesOf('a')]).toEqual([[], 'none'])
})

test('a file that is its own thumbnail stays when the thumbnail is removed, and goes with its upload', async () => {
  const { clock, records, thumbnails, blobs, schedule } = rig(async () => 'itself')
  const { blobId } = await schedule('a')
  blobs.existing.add(String(blobId))
  await clock.advance(100)
  const made = records.uploads.findBySlug('a')?.thumbnail
  expect(made).toEqual({ state: 'ready', blobId, mimeType: 'image/png', sizeBytes: 10 })
  await thumbnails.set('a', 'none')
  expect([...blobs.existing]).toEqual([blobId])
})
