import { expect, test } from 'vitest'
import type { Reconciliation } from '../../../src/index.ts'
import type { Underway } from '../../../src/store/upload-store.ts'
import { isLeftToOthers } from '../../../src/uploads/match-resolver.ts'
import { uploadObject } from '../../helpers/media.ts'

const upload = { ...uploadObject, size: 5, mime_type: 'image/jpeg' }
const stored: Reconciliation = { type: 'stored', upload }
const ambiguous: Reconciliation = { type: 'ambiguous', candidates: [upload] }
const own: Underway = { id: 'own', size: 5, mimeType: 'image/jpeg', sha256: 'x', isLooking: true }
const other = (more: Partial<Underway>): Underway => ({ ...own, id: 'other', isLooking: false, ...more })

const decide = (outcome: Reconciliation, all: readonly Underway[], asked = ['own']) =>
  isLeftToOthers({ id: 'own', sha256: 'x' }, outcome, all, new Set(asked)) ? 'waits' : 'concludes'

test.each<[string, 'waits' | 'concludes', Reconciliation, readonly Underway[]]>([
  ['nothing else is under way', 'concludes', stored, [own]],
  ['the same bytes are in flight', 'waits', stored, [own, other({})]],
  ['an earlier upload of the same bytes is looked for', 'waits', stored, [other({ isLooking: true }), own]],
  ['a later one is looked for', 'concludes', stored, [own, other({ isLooking: true })]],
  ['other bytes are in flight', 'concludes', stored, [own, other({ sha256: 'y' })]],
  ['what is in flight is not all sent', 'concludes', stored, [own, other({ sha256: '' })]],
])('an upload with the file’s bytes: where %s, the run %s', (_, expected, outcome, all) => {
  expect(decide(outcome, all)).toBe(expected)
})

test.each<[string, 'waits' | 'concludes', readonly Underway[]]>([
  ['one that looks like it is in flight', 'waits', [own, other({ sha256: 'y' })]],
  ['one that looks like it is looked for', 'waits', [own, other({ sha256: 'y', isLooking: true })]],
  ['one of another size is in flight', 'concludes', [own, other({ size: 6 })]],
  ['one of another type is in flight', 'concludes', [own, other({ mimeType: 'image/png' })]],
  ['what is in flight is not all sent', 'concludes', [own, other({ sha256: '' })]],
])('an upload that could not be compared: where %s, the run %s', (_, expected, all) => {
  expect(decide(ambiguous, all)).toBe(expected)
})

test('files that are asked about together do not wait for each other, and what is not stored waits for none', () => {
  expect(decide(stored, [own, other({})], ['own', 'other'])).toBe('concludes')
  expect(decide({ type: 'not-stored' }, [own, other({})])).toBe('concludes')
})
