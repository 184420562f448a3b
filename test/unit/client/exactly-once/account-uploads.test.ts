import { expect, test } from 'vitest'
import { createUploadRegistry } from '../../../../src/client/exactly-once/account-uploads.ts'
import type { UncertainUpload } from '../../../../src/client/exactly-once/uncertain-upload.ts'
import { uploadObject } from '../../../helpers/media.ts'

const questionAt = (startedAt: number): UncertainUpload => ({
  intent: { size: 100, mimeType: 'image/jpeg', startedAt, endedAt: null, knownSlugs: [] },
  timing: () => ({ begun: { from: 0, to: 0 }, ended: 0 }),
  wasSeenBefore: () => false,
  quietMs: () => 0,
})
const upload = (slug: string, more = {}) => ({ ...uploadObject, slug, size: 100, ...more })
const sent = { size: 100, mimeType: 'image/jpeg' }

test('a slug that was seen cannot be an upload that began later, but one that began earlier', () => {
  const registry = createUploadRegistry(() => 0)
  const before = registry.mark()
  registry.saw([upload('a')])
  const after = registry.mark()
  registry.saw([upload('a')])
  expect(registry.wasSeenBefore('a', before)).toBe(false)
  expect(registry.wasSeenBefore('a', after)).toBe(true)
  expect(registry.wasSeenBefore('b', registry.mark())).toBe(false)
})

test('recent slugs are those of the last minute, and the last hundred of any time', () => {
  let now = 0
  const registry = createUploadRegistry(() => now)
  for (let count = 0; count < 150; count += 1) registry.answered(upload(`old${count}`), sent)
  now = 70_000
  expect(registry.recent()).toHaveLength(100)
  expect(registry.recent()).not.toContain('old49')
  for (let count = 0; count < 150; count += 1) registry.saw([upload(`new${count}`)])
  expect(registry.recent()).toHaveLength(150)
})

test('a slug that is seen and then answered is recent once', () => {
  const registry = createUploadRegistry(() => 0)
  registry.saw([upload('a'), upload('b')])
  registry.answered(upload('a'), sent)
  expect([...registry.recent()].sort()).toEqual(['a', 'b'])
})

test('a service that changed one file of a type never counts as keeping that type again', () => {
  const registry = createUploadRegistry(() => 0)
  expect(registry.treatmentOf('image/jpeg')).toBeUndefined()
  registry.answered(upload('a'), sent)
  expect(registry.treatmentOf('image/jpeg')).toBe('keeps')
  registry.answered(upload('b', { size: 108 }), sent)
  registry.answered(upload('c'), sent)
  registry.adopted(upload('d'))
  expect(registry.treatmentOf('image/jpeg')).toBe('changes')
  registry.answered(upload('e', { mime_type: 'image/webp' }), { size: 100, mimeType: 'image/png' })
  expect(registry.treatmentOf('image/png')).toBe('changes')
})

test('a tracked upload counts while it may be stored, until its outcome is known or it is looked for again', () => {
  const registry = createUploadRegistry(() => 0)
  let stored: UncertainUpload | undefined
  const tracked = () => stored
  const untrack = registry.track(tracked)
  expect(registry.otherUncertain()).toEqual([])
  stored = questionAt(1)
  expect(registry.otherUncertain()).toEqual([stored])
  expect(registry.otherUncertain([tracked])).toEqual([])
  untrack()
  expect(registry.otherUncertain()).toEqual([])
  registry.track(tracked)
  registry.untrack([JSON.parse(JSON.stringify({ ...stored.intent, endedAt: 9 }))])
  expect(registry.otherUncertain()).toEqual([])
})
