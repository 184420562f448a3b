import { expect, test } from 'vitest'
import { accepted, addUploads, serviceRig } from './service-rig.ts'

test('an upload deleted by its slug in another case is gone', async () => {
  const { service, settings, records } = serviceRig()
  settings.update({ case_insensitive_slugs: true })
  const [slug = ''] = addUploads(service, 1, 1)
  const { id } = accepted(service.albums.create(1, 'A'))
  service.albums.add(1, id, [slug])
  const inOtherCase = slug === slug.toUpperCase() ? slug.toLowerCase() : slug.toUpperCase()
  expect(accepted(await service.uploads.remove(1, inOtherCase)).slug).toBe(slug)
  expect(records.uploads.findBySlug(slug)).toBeUndefined()
  expect(service.albums.find(1, id)?.uploads).toEqual([])
})
