import { expect, test } from 'vitest'
import { preferredLanguage } from '../../../../emulator/site/texts/language.ts'
import { texts } from '../../../../emulator/site/texts/texts.ts'

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['ro', 'ro'],
  ['ro-RO,ro;q=0.9,en;q=0.8', 'ro'],
  ['RO-md', 'ro'],
  ['en-US,en;q=0.9,ro;q=0.8', 'en'],
  ['en;q=0.5, ro;q=0.7', 'ro'],
  ['fr, de;q=0.9, ro;q=0.1', 'ro'],
  ['fr, de;q=0.9', 'en'],
  ['*', 'en'],
  ['ro;q=0, *', 'en'],
  ['rom', 'en'],
  ['ro;q=much', 'en'],
])('a visitor with Accept-Language %j gets %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language)
})

test('every text of the site is translated', () => {
  const same = Object.entries(texts.ro).flatMap(([page, own]) =>
    Object.entries(own).filter(([name, text]) => text === Object(texts.en)[page][name]),
  )
  expect(same).toEqual([])
})
