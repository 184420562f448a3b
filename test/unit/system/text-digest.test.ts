import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { digestOfText } from '../../../src/system/text-digest.ts'

test('the digest of a text of any length is its SHA-256', () => {
  const texts = Array.from({ length: 300 }, (_, length) => 'aé€😀'.repeat(length).slice(0, length))
  expect(texts.map(digestOfText)).toEqual(texts.map((text) => createHash('sha256').update(text).digest('hex')))
})
