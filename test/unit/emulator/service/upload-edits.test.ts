import { expect, test } from 'vitest'
import { accepted, addUploads, refused, serviceRig } from './service-rig.ts'

function rig() {
  const { service, records } = serviceRig()
  const [slug = ''] = addUploads(service, 1, 1)
  return { edits: service.uploadEdits, title: () => records.uploads.findBySlug(slug)?.title, slug }
}

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

test('an upload of another account gets no title', () => {
  const { edits, title, slug } = rig()
  expect(edits.setTitle(2, slug, 'Theirs')).toEqual(refused('upload-not-found', slug))
  expect(title()).toBeNull()
})
