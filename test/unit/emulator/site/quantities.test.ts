import { expect, test } from 'vitest'
import { countText, dateText, sizeText } from '../../../../emulator/site/texts/quantities.ts'

test.each([
  [0, '0 B'],
  [1_536, '1.5 KB'],
  [3 * 1_024 ** 4, '3,072 GB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(sizeText(bytes, 'en')).toBe(text.replace(' ', '\u00a0'))
})

test('numbers and dates are formatted in the site’s language and time zone', () => {
  const instant = Date.UTC(2026, 6, 1, 21, 5)
  expect(sizeText(1_536, 'ro')).toBe('1,5\u00a0KB')
  expect([countText(12_345, 'en'), countText(12_345, 'ro')]).toEqual(['12,345', '12.345'])
  expect(dateText(instant, 'en', 'Europe/Bucharest')).toMatch(/^July 2, 2026 at 12:05\sAM$/)
  expect(dateText(instant, 'ro', 'UTC')).toBe('1 iulie 2026 la 21:05')
})
