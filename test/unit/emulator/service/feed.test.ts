import { expect, test, vi } from 'vitest'
import { feedSize } from '../../../../emulator/service/feed.ts'
import { UnwrittenError } from '../../../../emulator/storage/turn.ts'
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

test('each rendering changes an account once, and is shown even if nothing can be written', () => {
  const { service, records } = serviceRig()
  addUploads(service, 1, 30)
  const update = vi.spyOn(records.accounts, 'update')
  service.feed.countViews(service.feed.latest())
  expect(update).toHaveBeenCalledTimes(1)
  update.mockImplementation(() => {
    throw new UnwrittenError('the disk is full', {})
  })
  expect(() => service.feed.countViews(service.feed.latest())).not.toThrow()
})
