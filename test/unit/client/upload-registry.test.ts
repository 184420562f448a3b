import { expect, test } from 'vitest'
import { createUploadRegistry } from '../../../src/client/exactly-once/upload-registry.ts'
import type { UploadIntent } from '../../../src/index.ts'
import { uploadObject } from '../../helpers/media.ts'

const intentAt = (startedAt: number): UploadIntent => ({
  size: 100,
  mimeType: 'image/jpeg',
  startedAt,
  endedAt: null,
  knownSlugs: [],
})
const upload = (slug: string, more = {}) => ({ ...uploadObject, slug, size: 100, ...more })
const sent = { size: 100, mimeType: 'image/jpeg' }

test('what was seen is known not to be an upload that began later, and may be one that began before', () => {
  const registry = createUploadRegistry(() => 0)
  registry.saw([upload('a')], 1_000)
  registry.saw([upload('a')], 3_000)
  expect(registry.isKnown('a', intentAt(1_001))).toBe(true)
  expect(registry.isKnown('a', intentAt(1_000))).toBe(false)
  expect(registry.isKnown('b', intentAt(9_000))).toBe(false)
})

test('what was answered or found belongs to nothing else', () => {
  const registry = createUploadRegistry(() => 5_000)
  registry.answered(upload('a'), sent)
  registry.adopted(upload('b'))
  for (const slug of ['a', 'b']) expect(registry.isKnown(slug, intentAt(0))).toBe(true)
})

test('an intent is told what became known shortly before it, and no more', () => {
  let now = 1_000
  const registry = createUploadRegistry(() => now)
  registry.answered(upload('a'), sent)
  now = 70_000
  registry.answered(upload('b'), sent)
  registry.saw([upload('a'), upload('c')], now)
  expect([...registry.knownSince(20_000)].sort()).toEqual(['b', 'c'])
})

test('what is seen and then answered became known twice, and is told of once', () => {
  let now = 1_000
  const registry = createUploadRegistry(() => now)
  registry.saw([upload('a'), upload('b')], now)
  now = 2_000
  registry.answered(upload('a'), sent)
  expect(registry.knownSince(2_000)).toEqual(['a'])
  expect([...registry.knownSince(1_000)].sort()).toEqual(['a', 'b'])
})

test('a service that changed one file of a type is not taken to keep that type again', () => {
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

test('what is on its way is open while something of it may be stored, and what was left open until it is taken up', () => {
  const registry = createUploadRegistry(() => 0)
  let stored: UploadIntent | undefined
  const flight = () => stored
  const close = registry.open(flight)
  expect(registry.others()).toEqual([])
  stored = intentAt(1)
  expect(registry.others()).toEqual([stored])
  expect(registry.others(flight)).toEqual([])
  close()
  registry.leftOpen(stored)
  expect(registry.others(flight)).toEqual([stored])
  registry.takenUp([JSON.parse(JSON.stringify({ ...stored, endedAt: 9 }))])
  expect(registry.others()).toEqual([])
})
