import { expect, test } from 'vitest'
import { randomText } from '../../../../emulator/service/random-text.ts'

test('random text has the length that was asked for, only letters and digits, and all of them in time', () => {
  const text = randomText(20_000)
  expect(text).toMatch(/^[A-Za-z0-9]{20000}$/)
  expect(new Set(text).size).toBe(62)
})
