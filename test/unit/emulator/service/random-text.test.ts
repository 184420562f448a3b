import { expect, test } from 'vitest'
import { randomText } from '../../../../emulator/service/random-text.ts'

test('random text has the requested length and uses every letter and digit', () => {
  const text = randomText(20_000)
  expect(text).toMatch(/^[A-Za-z0-9]{20000}$/)
  expect(new Set(text).size).toBe(62)
})
