import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPalette } from '../../../../../src/cli/output/terminal/color.ts'
import {
  fitMiddle,
  fitText,
  linkWithName,
  padText,
  textWidth,
} from '../../../../../src/cli/output/terminal/terminal-text.ts'

test('the width of a text counts wide characters twice, and escape sequences as nothing', () => {
  expect(['abc', '日本', 'e\u0301', '👩‍👩‍👧'].map(textWidth)).toEqual([3, 4, 1, 2])
  expect(textWidth('\u001b]8;;https://h/\u001b\\ab\u001b]8;;\u001b\\')).toBe(2)
})

test('a text that was cut is never wider than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
      expect(textWidth(fitText(text, width))).toBeLessThanOrEqual(width)
      expect(textWidth(fitMiddle(text, width))).toBeLessThanOrEqual(width)
    }),
  )
})

test('a text that fits is not changed', () => {
  expect([fitText('photo.jpg', 9), fitMiddle('photo.jpg', 9)]).toEqual(['photo.jpg', 'photo.jpg'])
})

test('a text that was cut at its end or in its middle has an ellipsis there', () => {
  expect(fitText('holiday-photo.jpg', 10)).toBe('holiday-p…')
  expect(fitMiddle('holiday-photo.jpg', 10)).toBe('holi…o.jpg')
  expect(fitText('holiday-photo.jpg', 10, '...')).toBe('holiday...')
})

test('a text is padded to a width on its left or right, and never cut', () => {
  expect([padText('日', 4), padText('日', 4, 'left'), padText('long', 2)]).toEqual(['日  ', '  日', 'long'])
})

test('a text of thousands of characters is measured and cut between graphemes', () => {
  const family = '👨\u200d👩\u200d👧'
  for (const character of [family, 'e\u0301', '🇷🇴', '界', 'é']) {
    const text = character.repeat(1_000)
    expect(textWidth(text)).toBe(textWidth(character) * 1_000)
    expect(fitText(text, 11)).toBe(`${character.repeat(10 / textWidth(character))}…`)
  }
})

const palette = await createPalette(false)
const link = 'https://files.example/i/a1B2c3D4e5'
const at = (columns: number, name: string, unicode = true) =>
  linkWithName(link, name, {
    traits: { width: () => columns, unicode, hyperlinks: false, pushesCursor: false },
    palette,
  })

test('the name of a file is printed after its link', () => {
  expect(at(80, 'photo.jpg')).toBe(`${link}  photo.jpg`)
})

test('a name that is too long for the line is cut in its middle, and the link is not cut', () => {
  expect(at(52, 'a name that is far too long.jpg')).toBe(`${link}  a name …ong.jpg`)
  expect(at(52, 'a name that is far too long.jpg', false)).toBe(`${link}  a name...ng.jpg`)
})

test('a link is printed without a name if there is no room for the name', () => {
  expect(at(40, 'a name that is far too long.jpg')).toBe(link)
  expect(at(20, 'a')).toBe(link)
})

test('a short name is printed even if there is little room', () => {
  expect(at(40, 'a.c')).toBe(`${link}  a.c`)
})

test('a link that contains the name is printed without it', () => {
  const markdown = '![photo.jpg](https://h/i/a)'
  const look = { traits: { width: () => 80, unicode: true, hyperlinks: false, pushesCursor: false }, palette }
  expect(linkWithName(markdown, 'photo.jpg', look)).toBe(markdown)
})
