import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPalette } from '../../../../../src/cli/output/terminal/terminal.ts'
import {
  fitMiddle,
  fitText,
  linkWithName,
  padText,
  textWidth,
  wrapWords,
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
  const traits = { width: () => width, unicode: true, hyperlinks: false, pushesCursor: false }
  expect(linkWithName(link, name, { traits, palette })).toBe(line)
  expect(linkWithName(link, name, { traits: { ...traits, unicode: false }, palette })).toMatch(/^[\x20-\x7e]*$/)
})

const wrapped = (line: string, width: number, whole?: string) => wrapWords(line, width, whole).split('\n')

test('a message is broken at words, with the indentation of its start', () => {
  expect(wrapped('Waiting 42 s for the minute quota, until 12:00:42', 30)).toEqual([
    'Waiting 42 s for the minute',
    'quota, until 12:00:42',
  ])
  expect(wrapped('  Check the API key: once a new one is generated, the old one is refused', 40)).toEqual([
    '  Check the API key: once a new one is',
    '  generated, the old one is refused',
  ])
})

test.each([
  [
    'fh config set ca_cert FILE',
    'For an authority of your own: --ca-cert FILE, or fh config set ca_cert FILE; else ask',
  ],
  ['--max-file-size SIZE', 'If the service accepts larger files: --max-file-size SIZE, or none'],
  ['https://files.example/a/very/long/address', 'Open https://files.example/a/very/long/address yourself'],
  ['"my own file.txt"', 'The setting called "my own file.txt" is not valid'],
])('%s is not broken at any width', (unit, line) => {
  for (let width = 20; width < line.length; width += 1) {
    expect(wrapped(line, width).some((part) => part.includes(unit))).toBe(true)
  }
})

test('a file name with spaces is not broken, together with what touches it', () => {
  const name = 'holiday/my best photo ever.jpg'
  for (let width = 20; width < 60; width += 1) {
    const lines = wrapped(`failed ${name}: does not exist, or is (as said above) gone`, width, name)
    expect(lines.some((line) => line.includes(`${name}:`))).toBe(true)
  }
})

test('a colour does not count, and a wide character counts twice', () => {
  expect(wrapped('\u001b[31mfh:\u001b[39m 1234567890 12345', 20)).toEqual(['\u001b[31mfh:\u001b[39m 1234567890 12345'])
  expect(wrapped('休日の写真休日 休日の写真休日', 20)).toEqual(['休日の写真休日', '休日の写真休日'])
})

test('no word is lost, and no line is wider than the terminal but for a single unit', () => {
  const words = fc.array(
    fc.constantFrom('fh', 'login', '--retries', 'N', 'SIZE', '"', 'a', 'https://h/i/x', '(b)', '  '),
  )
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom('', 'a a', 'fh login'),
      (parts, width, whole) => {
        const line = parts.join(' ')
        expect(wrapWords(line, width, whole).split(/\s+/).join(' ').trim()).toBe(line.split(/\s+/).join(' ').trim())
      },
    ),
  )
})
