import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock.ts'
import type { ThumbnailMaker } from '../../../../emulator/service/thumbnail-maker.ts'
import { createThumbnails } from '../../../../emulator/service/thumbnails.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import type { BlobStore } from '../../../../emulator/storage/blob-store.ts'
import { createMemoryRecords } from '../../../../emulator/storage/memory/memory-records.ts'
import { createTemporaryBlobs } from '../../../../emulator/storage/memory/temporary-blobs.ts'
import type { Thumbnail } from '../../../../emulator/storage/record-store.ts'

/** Keeps count of the blobs that exist. */
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
  const add = (slug: string, thumbnail: Thumbnail = thumbnails.plan()) => {
    const file = { slug, accountId: 1, blobId: `file of ${slug}`, mimeType: 'image/png', sizeBytes: 10, createdAt: 0 }
    const upload = records.uploads.insert({ ...file, title: null, views: 0, likes: 0, thumbnail })
    if (upload === undefined) throw new Error(`The slug ${slug} is taken`)
    return upload
  }
  const stateOf = (slug: string) => records.uploads.findBySlug(slug)?.thumbnail.state
  return { clock, records, blobs, thumbnails, add, stateOf }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const picture = Buffer.from('picture')

test('thumbnails are made one at a time, in the order in which they fall due', async () => {
  const events: string[] = []
  const { clock, thumbnails, add, stateOf } = rig(async ({ sizeBytes }) => {
    events.push('begins')
    await nextTurn()
    events.push('ends')
    return sizeBytes > 0 ? picture : undefined
  })
  for (const slug of ['a', 'b', 'c']) await thumbnails.follow(add(slug))
  await clock.advance(100)
  expect(events).toEqual(['begins', 'ends', 'begins', 'ends', 'begins', 'ends'])
  expect(['a', 'b', 'c'].map(stateOf)).toEqual(['ready', 'ready', 'ready'])
})

test('a maker that fails, or cannot make one, leaves no thumbnail and goes on with the next', async () => {
  const outcomes = [async () => Promise.reject(new Error('broken')), async () => undefined, async () => picture]
  const { clock, thumbnails, blobs, add, stateOf } = rig(async () => outcomes.shift()?.())
  for (const slug of ['a', 'b', 'c']) await thumbnails.follow(add(slug))
  await clock.advance(100)
  expect([...['a', 'b', 'c'].map(stateOf), blobs.existing.size]).toEqual(['none', 'none', 'ready', 1])
})

test('an upload that is removed while its thumbnail is made aborts the making and keeps nothing', async () => {
  let told: AbortSignal | undefined
  let removal = async () => {}
  const { clock, records, thumbnails, blobs, add } = rig(async (_, signal) => {
    told = signal
    await removal()
    return picture
  })
  const upload = await thumbnails.follow(add('a'))
  removal = async () => {
    records.uploads.remove('a')
    await thumbnails.forget(upload)
  }
  await clock.advance(100)
  expect([told?.aborted, blobs.existing.size]).toEqual([true, 0])
})

test('an upload that vanished without a word keeps nothing either', async () => {
  const { clock, records, thumbnails, blobs, add } = rig(async () => {
    records.uploads.remove('a')
    return picture
  })
  await thumbnails.follow(add('a'))
  await clock.advance(100)
  expect(blobs.existing.size).toBe(0)
})

test('dropping a thumbnail, and forgetting its upload, removes its bytes', async () => {
  const { clock, records, thumbnails, blobs, add, stateOf } = rig(async () => picture)
  await thumbnails.follow(add('a'))
  await thumbnails.follow(add('b'))
  await clock.advance(100)
  expect(blobs.existing.size).toBe(2)
  await thumbnails.set('a', 'none')
  expect([stateOf('a'), blobs.existing.size]).toEqual(['none', 1])
  const removed = records.uploads.remove('b')
  if (removed !== undefined) await thumbnails.forget(removed)
  expect(blobs.existing.size).toBe(0)
})

test('an upload that is to have no thumbnail has none, though one was being made', async () => {
  const asked: (() => void)[] = []
  const { clock, thumbnails, blobs, add, stateOf } = rig(async (_, signal) => {
    await new Promise<void>((resolve) => {
      asked.push(resolve)
      signal.addEventListener('abort', () => resolve())
    })
    return picture
  })
  await thumbnails.follow(add('a'))
  const moved = clock.advance(100)
  while (asked.length === 0) await nextTurn()
  await thumbnails.set('a', 'none')
  await moved
  expect([stateOf('a'), blobs.existing.size]).toEqual(['none', 0])
})

test('a clock that is moved arrives although uploads come faster than thumbnails are made', async () => {
  const { clock, thumbnails, add, stateOf } = rig(async () => {
    await nextTurn()
    return undefined
  })
  let moving = true
  const uploading = (async () => {
    for (let count = 0; moving; count += 2) {
      await Promise.all([count, count + 1].map((number) => thumbnails.follow(add(`slug ${number}`))))
      await nextTurn()
    }
  })()
  await clock.advance(60_000)
  moving = false
  await uploading
  expect([clock.now(), stateOf('slug 0'), stateOf('slug 999')]).toEqual([60_000, 'none', 'none'])
})

test('asked for twice at once, a thumbnail is made once', async () => {
  const { thumbnails, blobs, add } = rig(async () => picture)
  add('a')
  await Promise.all([thumbnails.set('a', 'ready'), thumbnails.set('a', 'ready')])
  expect(blobs.existing.size).toBe(1)
})

test('what was pending at an earlier end is taken up again, what is overdue at once', async () => {
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

test('taking up again forgets what was known before', async () => {
  let made = 0
  const { clock, records, thumbnails, add } = rig(async () => {
    made += 1
    return picture
  })
  await thumbnails.follow(add('a'))
  thumbnails.resume()
  records.uploads.remove('a')
  thumbnails.resume()
  await clock.advance(1_000)
  expect(made).toBe(0)
})

test('closing gives up what is pending and waits for the one that is being made', async () => {
  const events: string[] = []
  const { clock, thumbnails, blobs, add, stateOf } = rig(async (_, signal) => {
    events.push('begins')
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await nextTurn()
    events.push('ends')
    return picture
  })
  await thumbnails.follow(add('a'))
  await thumbnails.follow(add('b'))
  const moved = clock.advance(100)
  while (events.length === 0) await nextTurn()
  await thumbnails.close()
  await moved
  expect([events, stateOf('a'), stateOf('b'), blobs.existing.size]).toEqual([
    ['begins', 'ends'],
    'pending',
    'pending',
    0,
  ])
})

test('an upload that does not exist has no thumbnail to be set', async () => {
  const { thumbnails } = rig(async () => picture)
  await expect(thumbnails.set('a', 'ready')).rejects.toThrow('There is no upload "a"')
  await expect(thumbnails.set('a', 'none')).rejects.toThrow('There is no upload "a"')
})

test('a thumbnail that was being made when the process died is not tried again', async () => {
  const { clock, records, thumbnails, add, stateOf } = rig(() => new Promise(() => {}))
  await thumbnails.follow(add('a'))
  void clock.advance(100)
  while (stateOf('a') === 'pending') await nextTurn()
  // What the next process finds in the records.
  expect(records.uploads.awaitingThumbnail()).toEqual([])
  expect(stateOf('a')).toBe('none')
})

test('a file that is its own thumbnail outlives that thumbnail, and goes with its upload', async () => {
  const { clock, records, thumbnails, blobs, add } = rig(async () => 'itself')
  const upload = await thumbnails.follow(add('a'))
  blobs.existing.add(String(upload.blobId))
  await clock.advance(100)
  const made = records.uploads.findBySlug('a')?.thumbnail
  expect(made).toEqual({ state: 'ready', blobId: upload.blobId, mimeType: 'image/png', sizeBytes: 10 })
  await thumbnails.set('a', 'none')
  expect([...blobs.existing]).toEqual([upload.blobId])
})
