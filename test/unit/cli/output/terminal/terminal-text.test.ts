import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitMiddle, fitWidths, loadWidths, textWidth } from '../../../../../src/cli/output/terminal/terminal-text.ts'

await loadWidths()

test('the width of a text counts wide characters twice, and combining characters as nothing', () => {
  expect(['abc', '日本', 'e\u0301', '👩‍👩‍👧'].map(textWidth)).toEqual([3, 4, 1, 2])
})

test('a text that was cut is never wider than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
      expect(textWidth(fitMiddle(text, width))).toBeLessThanOrEqual(width)
    }),
  )
})

test('a text of thousands of characters is measured and cut between graphemes', () => {
  const family = '👨\u200d👩\u200d👧'
  for (const character of [family, 'e\u0301', '🇷🇴', '界', 'é']) {
    const text = character.repeat(100)
    expect(textWidth(text)).toBe(textWidth(character) * 100)
    const half = character.repeat(4 / textWidth(character))
    expect(fitMiddle(text.repeat(1_000), 9)).toBe(`${half}…${half}`)
  }
})

test('the widest column yields first, and what does not fit even so is left out', () => {
  expect(fitWidths([10, 40, 20], 50)).toEqual([10, 18, 18])
  expect(fitWidths([20, 16, 30], 60, 1)).toEqual([20, 12, 24])
  expect(fitWidths([10, 40, 2], 20)).toEqual([10])
  expect(fitWidths([40], 8)).toEqual([8])
})
