import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitMiddle, fitText, padText, textWidth } from '../../../../../src/cli/output/terminal/terminal-text.ts'

describe('the width of a text', () => {
  test('counts wide characters twice and links not at all', () => {
    expect(['abc', '日本', 'e\u0301', '👩‍👩‍👧'].map(textWidth)).toEqual([3, 4, 1, 2])
    expect(textWidth('\u001b]8;;https://h/\u001b\\ab\u001b]8;;\u001b\\')).toBe(2)
  })

  test('is never more than asked for after a cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(textWidth(fitText(text, width))).toBeLessThanOrEqual(width)
        expect(textWidth(fitMiddle(text, width))).toBeLessThanOrEqual(width)
      }),
    )
  })
})

test('a text that fits is left alone', () => {
  expect([fitText('photo.jpg', 9), fitMiddle('photo.jpg', 9)]).toEqual(['photo.jpg', 'photo.jpg'])
})

test('a cut at the end or in the middle is shown', () => {
  expect(fitText('holiday-photo.jpg', 10)).toBe('holiday-p…')
  expect(fitMiddle('holiday-photo.jpg', 10)).toBe('holi…o.jpg')
  expect(fitText('holiday-photo.jpg', 10, '...')).toBe('holiday...')
})

test('padding fills up to the width, on either side', () => {
  expect([padText('日', 4), padText('日', 4, 'left'), padText('long', 2)]).toEqual(['日  ', '  日', 'long'])
})

test('a long text is cut between characters, wherever it is taken apart to be read', () => {
  const family = '👨\u200d👩\u200d👧'
  for (const character of [family, 'e\u0301', '🇷🇴', '界', 'é']) {
    const text = character.repeat(1_000)
    expect(textWidth(text)).toBe(textWidth(character) * 1_000)
    expect(fitText(text, 11)).toBe(`${character.repeat(10 / textWidth(character))}…`)
  }
})
