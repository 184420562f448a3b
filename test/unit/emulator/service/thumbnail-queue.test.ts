import { expect, test, vi } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/virtual-clock.ts'
import type { ThumbnailMaker } from '../../../../emulator/service/thumbnail-maker.ts'
import { createThumbnails } from '../../../../emulator/service/thumbnails.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import type { BlobStore } from '../../../../emulator/storage/blob-store.ts'
import { createMemoryRecords } from '../../../../emulator/storage/memory/memory-records.ts'
import { createTemporaryBlobs } from '../../../../emulator/storage/memory/temporary-blobs.ts'
import type { Thumbnail } from '../../../../emulator/storage/records.ts'

/** Counts the existing blobs. */
function countedBlobs(): BlobStore & { readonly existing: Set<string> } {
  const blobs = createTemporaryBlobs()
  const existing = new Set<string>()
  return {
    ...blobs,
    existing,
    create() {
      const writer = blobs.create()
      const commit = async () => {
        await writer.commit()
        existing.add(writer.id)
      }
      return { ...writer, commit }
    },
    async remove(id) {
      existing.delete(id)
      await blobs.remove(id)
    },
  }
}

function rig(makeThumbnail: ThumbnailMaker) {
  const clock = createVirtualClock(0)
  const records = createMemoryRecords()
  const blobs = countedBlobs()
  const settings = createSettings({ thumbnail_delay_ms: 100 })
  const thumbnails = createThumbnails({ records, blobs, settings, clock, makeThumbnail })
  const add = (slug: string, thumbnail: Thumbnail = thumbnails.initial()) => {
    const file = { slug, accountId: 1, blobId: `file of ${slug}`, mimeType: 'image/png', sizeBytes: 10, createdAt: 0 }
    const upload = records.uploads.insert({ ...file, title: null, views: 0, likes: 0, thumbnail })
    if (upload === undefined) throw new Error(`The slug ${slug} is taken`)
    return upload
  }
  const stateOf = (slug: string) => records.uploads.findBySlug(slug)?.thumbnail.state
  /** Uploads with these slugs, whose thumbnails are due after 100 milliseconds. */
  const schedule = async (...slugs: readonly string[]) => {
    for (const slug of slugs) await thumbnails.schedule(add(slug))
  }
  return { clock, records, blobs, thumbnails, add, schedule, stateOf }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const picture = Buffer.from('picture')

test('thumbnails are made one at a time, in the order they are due', async () => {
  const events: string[] = []
  const { clock, schedule, stateOf } = rig(async ({ sizeBytes }) => {
    events.push('begins')
    await nextTurn()
    events.push('ends')
    return sizeBytes > 0 ? picture : undefined
  })
  await schedule('a', 'b', 'c')
  await clock.advance(100)
  expect(events).toEqual(['begins', 'ends', 'begins', 'ends', 'begins', 'ends'])
  expect(['a', 'b', 'c'].map(stateOf)).toEqual(['ready', 'ready', 'ready'])
})

test('a maker that fails, or makes none, leaves no thumbnail, and the next one is made', async () => {
  const outcomes = [async () => Promise.reject(new Error('broken')), async () => undefined, async () => picture]
  const { clock, schedule, blobs, stateOf } = rig(async () => outcomes.shift()?.())
  await schedule('a', 'b', 'c')
  await clock.advance(100)
  expect([...['a', 'b', 'c'].map(stateOf), blobs.existing.size]).toEqual(['none', 'none', 'ready', 1])
})

test('removing an upload aborts its thumbnail, and nothing is kept', async () => {
  let told: AbortSignal | undefined
  let removal = async () => {}
  const { clock, records, thumbnails, blobs, add } = rig(async (_, signal) => {
    told = signal
    await removal()
    return picture
  })
  const upload = await thumbnails.schedule(add('a'))
  removal = async () => {
    records.uploads.remove('a')
    await thumbnails.forget(upload)
  }
  await clock.advance(100)
  expect([told?.aborted, blobs.existing.size]).toEqual([true, 0])
})

test('removing a thumbnail, or forgetting its upload, removes its bytes', async () => {
  const { clock, records, thumbnails, blobs, schedule, stateOf } = rig(async () => picture)
  await schedule('a', 'b')
  await clock.advance(100)
  expect(blobs.existing.size).toBe(2)
  await thumbnails.set('a', 'none')
  expect([stateOf('a'), blobs.existing.size]).toEqual(['none', 1])
  const removed = records.uploads.remove('b')
  if (removed !== undefined) await thumbnails.forget(removed)
  expect(blobs.existing.size).toBe(0)
})

test('an upload set to have no thumbnail has none, even if one was being made', async () => {
  let isAsked = false
  const { clock, thumbnails, blobs, schedule, stateOf } = rig(async (_, signal) => {
    isAsked = true
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return picture
  })
  await schedule('a')
  const moved = clock.advance(100)
  while (!isAsked) await nextTurn()
  await thumbnails.set('a', 'none')
  await moved
  expect([stateOf('a'), blobs.existing.size]).toEqual(['none', 0])
})

test('moving the clock ends even if uploads come faster than thumbnails are made', async () => {
  const { clock, schedule, stateOf } = rig(async () => {
    await nextTurn()
    return undefined
  })
  let moving = true
  const uploading = (async () => {
    for (let count = 0; moving; count += 2) {
      await Promise.all([count, count + 1].map((number) => schedule(`slug ${number}`)))
      await nextTurn()
    }
  })()
  await clock.advance(60_000)
  moving = false
  await uploading
  expect([clock.now(), stateOf('slug 0'), stateOf('slug 999')]).toEqual([60_000, 'none', 'none'])
})

test('a thumbnail requested twice at once is made once', async () => {
  const { thumbnails, blobs, add } = rig(async () => picture)
  add('a')
  await Promise.all([thumbnails.set('a', 'ready'), thumbnails.set('a', 'ready')])
  expect(blobs.existing.size).toBe(1)
})

test('a restart schedules pending thumbnails again, overdue ones at once', async () => {
  const { clock, thumbnails, add, stateOf } = rig(async () => picture)
  add('overdue', { state: 'pending', dueAt: -500 })
  add('later', { state: 'pending', dueAt: 50 })
  add('none', { state: 'none' })
  thumbnails.resume()
  await clock.advance(0)
  expect(['overdue', 'later', 'none'].map(stateOf)).toEqual(['ready', 'pending', 'none'])
  await clock.advance(50)
  expect(['overdue', 'later', 'none'].map(stateOf)).toEqual(['ready', 'ready', 'none'])
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
  const { clock, thumbnails, blobs, schedule, stateOf } = rig(async (_, signal) => {
    events.push('begins')
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await nextTurn()
    events.push('ends')
    return picture
  })
  await schedule('a', 'b')
  const moved = clock.advance(100)
  while (events.length === 0) await nextTurn()
  await thumbnails.close()
  await moved
  expect([...events, stateOf('a'), stateOf('b'), blobs.existing.size]).toEqual([
    'begins',
    'ends',
    'pending',
    'pending',
    0,
  ])
})

test('setting the thumbnail of an unknown upload fails', async () => {
  const { thumbnails } = rig(async () => picture)
  await expect(thumbnails.set('a', 'ready')).rejects.toThrow('There is no upload "a"')
  await expect(thumbnails.set('a', 'none')).rejects.toThrow('There is no upload "a"')
})

test('a thumbnail that was being made when the process died is not tried again', async () => {
  const { clock, records, schedule, stateOf } = rig(() => new Promise(() => {}))
  await schedule('a')
  void clock.advance(100)
  while (stateOf('a') === 'pending') await nextTurn()
  // The records as the next process finds them.
  expect(records.uploads.awaitingThumbnail()).toEqual([])
  expect(stateOf('a')).toBe('none')
})

test('a file that is its own thumbnail stays when the thumbnail is removed, and goes with its upload', async () => {
  const { clock, records, thumbnails, blobs, add } = rig(async () => 'itself')
  const upload = await thumbnails.schedule(add('a'))
  blobs.existing.add(String(upload.blobId))
  await clock.advance(100)
  const made = records.uploads.findBySlug('a')?.thumbnail
  expect(made).toEqual({ state: 'ready', blobId: upload.blobId, mimeType: 'image/png', sizeBytes: 10 })
  await thumbnails.set('a', 'none')
  expect([...blobs.existing]).toEqual([upload.blobId])
})
