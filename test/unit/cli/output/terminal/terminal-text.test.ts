import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  alignColumns,
  fitMiddle,
  fitText,
  loadWidths,
  padText,
  textWidth,
} from '../../../../../src/cli/output/terminal/terminal-text.ts'

await loadWidths()

test('the width of a text counts wide characters twice, and combining characters as nothing', () => {
  expect(['abc', '日本', 'e\u0301', '👩‍👩‍👧'].map(textWidth)).toEqual([3, 4, 1, 2])
})

test('a text that was cut is never wider than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
      expect(textWidth(fitText(text, width, true))).toBeLessThanOrEqual(width)
      expect(textWidth(fitMiddle(text, width))).toBeLessThanOrEqual(width)
    }),
  )
})

test('a text that does not fit is cut at its end or in its middle, with an ellipsis there', () => {
  expect([fitText('photo.jpg', 9, true), fitMiddle('photo.jpg', 9)]).toEqual(['photo.jpg', 'photo.jpg'])
  expect([fitText('holiday-photo.jpg', 10, true), fitMiddle('holiday-photo.jpg', 10)]).toEqual([
    'holiday-p…',
    'holi…o.jpg',
  ])
  expect(fitText('holiday-photo.jpg', 10, false)).toBe('holiday...')
})

test('a text is padded to a width on its left or right, and never cut', () => {
  expect([padText('日', 4), padText('日', 4, 'left'), padText('long', 2)]).toEqual(['日  ', '  日', 'long'])
})

test('a text of thousands of characters is measured and cut between graphemes', () => {
  const family = '👨\u200d👩\u200d👧'
  for (const character of [family, 'e\u0301', '🇷🇴', '界', 'é']) {
    const text = character.repeat(100)
    expect(textWidth(text)).toBe(textWidth(character) * 100)
    expect(fitText(text.repeat(1_000), 11, true)).toBe(`${character.repeat(10 / textWidth(character))}…`)
  }
})

test('a narrow column that fits is shown, and a wide one that would not be readable is left out', () => {
  const terminal = { width: () => 10, unicode: true, pushesCursor: false }
  expect(alignColumns([['abcdef', '12']], { terminal })).toEqual(['abcdef  12'])
  expect(alignColumns([['abcdef', '12345']], { terminal })).toEqual(['abcdef'])
})
