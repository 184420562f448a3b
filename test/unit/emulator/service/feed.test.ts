import { expect, test } from 'vitest'
import { feedSize } from '../../../../emulator/service/feed.ts'
import { UnwrittenError } from '../../../../emulator/storage/record-store.ts'
import { addUploads, serviceRig, slugsOf } from './service-rig.ts'

test('the feed has the latest files of all accounts, newest first', () => {
  const { service } = serviceRig()
  const one = addUploads(service, 1, 40, 0)
  const other = addUploads(service, 2, 40, 500)
  const interleaved = one.flatMap((slug, index) => [slug, other[index] ?? ''])
  expect(slugsOf(service.feed.latest())).toEqual(interleaved.toReversed().slice(0, feedSize))
})

test('the feed leaves out files that are not visible yet', async () => {
  const { service, settings, clock } = serviceRig()
  settings.update({ visible_after_ms: 10_000 })
  const slugs = addUploads(service, 1, 5, clock.now() - 12_000)
  expect(slugsOf(service.feed.latest())).toEqual([slugs[2], slugs[1], slugs[0]])
  await clock.advance(1_000)
  expect(slugsOf(service.feed.latest())).toEqual([slugs[3], slugs[2], slugs[1], slugs[0]])
})

test('a shown feed adds one feed view for each file to its account, and none to the files', () => {
  const { service } = serviceRig()
  addUploads(service, 1, 3)
  addUploads(service, 2, 2)
  service.feed.countViews(service.feed.latest())
  service.feed.countViews(service.feed.latest())
  const totals = [1, 2].map((id) => service.stats(service.accounts.get(id)).total_views)
  expect(totals).toEqual([6, 4])
  expect(service.feed.latest().map(({ views }) => views)).toEqual([0, 0, 0, 0, 0])
})

test('each rendering changes an account once, and is shown even if nothing can be written', () => {
  const { service, records } = serviceRig()
  addUploads(service, 1, 30)
  let updates = 0
  const { update } = records.accounts
  Object.assign(records.accounts, {
    update(...change: Parameters<typeof update>) {
      updates += 1
      return update(...change)
    },
  })
  service.feed.countViews(service.feed.latest())
  expect(updates).toBe(1)
  Object.assign(records.accounts, {
    update() {
      throw new UnwrittenError('the disk is full')
    },
  })
  expect(() => service.feed.countViews(service.feed.latest())).not.toThrow()
})
