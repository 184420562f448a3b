import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPalette } from '../../../../../src/cli/output/terminal/terminal.ts'
import {
  besideLink,
  fitMiddle,
  fitText,
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

test('a text that does not fit is cut at its end or in its middle, with an ellipsis there', () => {
  expect([fitText('photo.jpg', 9), fitMiddle('photo.jpg', 9)]).toEqual(['photo.jpg', 'photo.jpg'])
  expect([fitText('holiday-photo.jpg', 10), fitMiddle('holiday-photo.jpg', 10)]).toEqual(['holiday-p…', 'holi…o.jpg'])
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
const address = 'https://files.example/i/a1B2c3D4e5'
const markdown = '![photo.jpg](https://h/i/a)'

test.each([
  [address, 80, 'photo.jpg', `${address}  photo.jpg`],
  [address, 52, 'a name that is far too long.jpg', `${address}  a name …ong.jpg`],
  [address, 40, 'a name that is far too long.jpg', address],
  [address, 20, 'a', address],
  [address, 40, 'a.c', `${address}  a.c`],
  [markdown, 80, 'photo.jpg', markdown],
])('the link %s has in %d columns the name %s after it, as far as there is room: %s', (link, width, name, line) => {
  const traits = { width: () => width, unicode: true, hyperlinks: false, taskbar: false, pushesCursor: false }
  expect(besideLink(link, [name], { traits, palette })).toBe(line)
  expect(besideLink(link, [name], { traits: { ...traits, unicode: false }, palette })).toMatch(/^[\x20-\x7e]*$/)
})
