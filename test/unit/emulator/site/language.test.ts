import { expect, test } from 'vitest'
import { preferredLanguage } from '../../../../emulator/site/texts/language.ts'
import { texts } from '../../../../emulator/site/texts/texts.ts'

test.each([
  [undefined, 'en'],
  ['ro', 'ro'],
  ['ro-RO,ro;q=0.9,en;q=0.8', 'ro'],
  ['en;q=0.5, ro;q=0.7', 'ro'],
  ['fr, de;q=0.9, ro;q=0.1', 'ro'],
  ['ro;q=0, *', 'en'],
  ['rom', 'en'],
  ['ro;q=much', 'en'],
])('a visitor with Accept-Language %j gets %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language)
})

/** Every text of a language by its path; functions as they are. */
function flat(part: object, path = ''): readonly (readonly [string, unknown])[] {
  return Object.entries(part).flatMap(([name, text]) =>
    typeof text === 'object' ? flat(text, `${path}${name}.`) : [[`${path}${name}`, text] as const],
  )
}

test('every text of the site is translated', () => {
  const english = new Map(flat(texts.en))
  expect(english.size).toBeGreaterThan(150)
  expect(flat(texts.ro).filter(([path, text]) => text === english.get(path))).toEqual([])
})

test('Romanian texts have the letters of Romanian, not look-alikes, and its quotation marks', () => {
  const words = flat(texts.ro).map(([path, text]) => `${path} ${String(text)}`)
  expect(words.filter((text) => /[şţŞŢ“]/.test(text))).toEqual([])
})

test.each([
  [0, '0 fișiere'],
  [1, '1 fișier'],
  [20, '20 de fișiere'],
  [1_020, '1.020 de fișiere'],
])('in Romanian, %i files are %s', (count, words) => {
  expect(texts.ro.files.count(count)).toBe(words)
})
