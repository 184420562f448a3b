import { expect, test } from 'vitest'
import { isLikedBy, mostRememberedLikers } from '../../../../emulator/service/upload-edits.ts'
import { accepted, addUploads, refused, serviceRig } from './service-rig.ts'

function rig() {
  const { service, records } = serviceRig()
  const [slug = ''] = addUploads(service, 1, 1)
  return { edits: service.uploadEdits, service, title: () => records.uploads.findBySlug(slug)?.title, slug }
}

test('likes never fall below zero, whatever number the control API set meanwhile', () => {
  const { edits, service, slug } = rig()
  edits.like(2, slug)
  service.uploads.update(slug, { likes: 0 })
  const after = accepted(edits.unlike(2, slug))
  expect([after.likes, isLikedBy(after, 2)]).toEqual([0, false])
  service.uploads.update(slug, { likes: Number.MAX_SAFE_INTEGER })
  expect(accepted(edits.like(2, slug)).likes).toBe(Number.MAX_SAFE_INTEGER)
})

test('an upload remembers a bounded number of likers', () => {
  const { edits, service, slug } = rig()
  const likers = Array.from({ length: mostRememberedLikers }, (_, index) => index + 10)
  service.uploads.update(slug, { likedBy: likers, likes: likers.length })
  const after = accepted(edits.like(1, slug))
  expect([after.likes, after.likedBy?.length]).toEqual([mostRememberedLikers + 1, mostRememberedLikers])
  expect([isLikedBy(after, 1), isLikedBy(after, 10)]).toEqual([true, false])
})

test.each([
  [' <b>Raton & "Țuțu"</b> 🦝 ', '<b>Raton & "Țuțu"</b> 🦝'],
  [' \u200b ', null],
  ['x'.repeat(255), 'x'.repeat(255)],
])('the owner sets the title %j as %j', (given, title) => {
  const { edits, slug } = rig()
  expect(accepted(edits.setTitle(1, slug, given)).title).toBe(title)
})

test.each([
  ['x'.repeat(256), 'too-long'],
  ['\u009b2J', 'control-character'],
])('the title %j is refused as %s', (given, kind) => {
  const { edits, title, slug } = rig()
  edits.setTitle(1, slug, 'Before')
  expect(edits.setTitle(1, slug, given)).toEqual(refused(kind))
  expect(title()).toBe('Before')
})

test('an upload of another account gets no title, and a missing one no like', () => {
  const { edits, title, slug } = rig()
  expect(edits.setTitle(2, slug, 'Theirs')).toEqual(refused('upload-not-found', slug))
  expect(edits.like(1, 'none')).toEqual(refused('upload-not-found', 'none'))
  expect(title()).toBeNull()
})
