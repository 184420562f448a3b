import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOfText } from '../../../src/system/text-digest.ts'

test('the digest of a text is its SHA-256, as node:crypto computes it', () => {
  const lengths = Array.from({ length: 200 }, (_, length) => 'x'.repeat(length))
  for (const text of lengths) expect(digestOfText(text)).toBe(createHash('sha256').update(text).digest('hex'))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(digestOfText(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
  )
})
