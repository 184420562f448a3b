import { expect, test } from 'vitest'
import { preferredLanguage, texts } from '../../../../emulator/site/texts/language.ts'

test('a visitor gets the preferred one of the languages that the site has, else English', () => {
  const romanian = ['ro', 'ro-RO,ro;q=0.9,en;q=0.8', 'en;q=0.5, ro;q=0.7', 'fr, de;q=0.9, ro;q=0.1']
  expect(romanian.filter((header) => preferredLanguage(header) !== 'ro')).toEqual([])
  expect([undefined, 'ro;q=0, *', 'rom', 'ro;q=much'].filter((header) => preferredLanguage(header) !== 'en')).toEqual(
    [],
  )
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

test('Romanian counts with the right word', () => {
  expect([0, 1, 20].map(texts.ro.files.count)).toEqual(['0 fișiere', '1 fișier', '20 de fișiere'])
  expect(texts.ro.files.count(1_020)).toBe('1.020 de fișiere')
})
