import { expect, test } from 'vitest'
import { createPalette } from '../../../../src/cli/output/terminal/color.ts'
import { linkWithName } from '../../../../src/cli/output/terminal/terminal-text.ts'

const palette = await createPalette(false)
const link = 'https://files.example/i/a1B2c3D4e5'
const at = (columns: number, name: string, unicode = true) =>
  linkWithName(link, name, { traits: { width: () => columns, unicode, hyperlinks: false }, palette })

test('the name of a file stands beside its link', () => {
  expect(at(80, 'photo.jpg')).toBe(`${link}  photo.jpg`)
})

test('a name that is too long is cut in its middle, the link never', () => {
  expect(at(52, 'a name that is far too long.jpg')).toBe(`${link}  a name …ong.jpg`)
  expect(at(52, 'a name that is far too long.jpg', false)).toBe(`${link}  a name...ng.jpg`)
})

test('where there is no room for a name, the link stands alone', () => {
  expect(at(40, 'a name that is far too long.jpg')).toBe(link)
  expect(at(20, 'a')).toBe(link)
})

test('a short name needs little room', () => {
  expect(at(40, 'a.c')).toBe(`${link}  a.c`)
})

test('a link that has the name in it stays alone', () => {
  const markdown = '![photo.jpg](https://h/i/a)'
  const look = { traits: { width: () => 80, unicode: true, hyperlinks: false }, palette }
  expect(linkWithName(markdown, 'photo.jpg', look)).toBe(markdown)
})
