import { expect, test } from 'vitest'
import { isLikedBy, mostRememberedLikers } from '../../../../emulator/service/upload-edits.ts'
import { accepted, addUploads, serviceRig } from './service-rig.ts'

function rig() {
  const { service, records } = serviceRig()
  const [slug = ''] = addUploads(service, 1, 1)
  return { edits: service.uploadEdits, service, records, slug }
}

test('an account likes an upload once and takes the like back once', () => {
  const { edits, slug } = rig()
  expect([1, 1, 2].map((id) => accepted(edits.like(id, slug)).likes)).toEqual([1, 1, 2])
  expect([2, 2, 1].map((id) => accepted(edits.unlike(id, slug)).likes)).toEqual([1, 1, 0])
  expect(accepted(edits.like(2, slug)).likes).toBe(1)
})

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

test('the owner sets a title and clears it', () => {
  const { edits, slug } = rig()
  expect(accepted(edits.setTitle(1, slug, ' <b>Raton & "Țuțu"</b> 🦝 ')).title).toBe('<b>Raton & "Țuțu"</b> 🦝')
  expect(accepted(edits.setTitle(1, slug, ' \u200b ')).title).toBeNull()
  expect(accepted(edits.setTitle(1, slug, 'x'.repeat(255))).title).toBe('x'.repeat(255))
  expect(accepted(edits.setTitle(1, slug, null)).title).toBeNull()
})

test.each([
  ['x'.repeat(256), 'too-long'],
  ['two\nlines', 'control-character'],
  ['\u009b2J', 'control-character'],
])('the title %j is refused as %s', (title, kind) => {
  const { edits, records, slug } = rig()
  edits.setTitle(1, slug, 'Before')
  expect(edits.setTitle(1, slug, title)).toEqual({ ok: false, refusal: { kind } })
  expect(records.uploads.findBySlug(slug)?.title).toBe('Before')
})

test('an upload of another account gets no title, and a missing one no title and no like', () => {
  const { edits, records, slug } = rig()
  expect(edits.setTitle(2, slug, 'Theirs')).toEqual({ ok: false, refusal: { kind: 'upload-not-found', slug } })
  const missing = { ok: false, refusal: { kind: 'upload-not-found', slug: 'none' } }
  expect([edits.setTitle(1, 'none', 'x'), edits.like(1, 'none'), edits.unlike(1, 'none')]).toEqual([
    missing,
    missing,
    missing,
  ])
  expect(records.uploads.findBySlug(slug)?.title).toBeNull()
})
