import { describe, expect, test } from 'vitest'
import { alignColumns, formatDate, printable, toJsonLine } from '../../../src/cli/format.ts'
import { formatLink, linkFormats } from '../../../src/cli/links.ts'
import { uploadObject } from '../../helpers/media.ts'

describe('printable', () => {
  test.each([
    ['ESC', 'a\u001b[2Jb', 'a\\x1b[2Jb'],
    ['a line break', 'a\nb', 'a\\x0ab'],
    ['C1', 'a\u009b2Jb', 'a\\x9b2Jb'],
    ['a right-to-left override', 'gpj.\u202egnp', 'gpj.\\u202egnp'],
    ['a bidi isolate', '\u2067x\u2069', '\\u2067x\\u2069'],
    ['DEL', '\u007f', '\\x7f'],
  ])('shows %s as its escape', (_, text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  test('leaves letters of all scripts and emoji alone', () => {
    expect(printable('Ștefan, 写真, 👩‍👧')).toBe('Ștefan, 写真, 👩‍👧')
  })
})

test('a JSON line steers no terminal and means the same', () => {
  const value = { title: '\u001b[31m\u009b\u202e' }
  const line = toJsonLine(value)
  expect(line).toBe('{"title":"\\u001b[31m\\u009b\\u202e"}')
  expect(JSON.parse(line)).toEqual(value)
})

test.each([
  ['2026-11-21T09:30:15+02:00', '2026-11-21 09:30'],
  ['2026-11-21T09:30:15.123456Z', '2026-11-21 09:30'],
  ['yesterday\u001b', 'yesterday\\x1b'],
])('the date %j is shown as %j', (value, shown) => {
  expect(formatDate(value)).toBe(shown)
})

test('columns are aligned, the last one not padded', () => {
  expect(
    alignColumns([
      ['a', 'long', 'x'],
      ['abc', 'b', 'yy'],
    ]),
  ).toEqual(['a    long  x', 'abc  b     yy'])
})

describe('formatLink', () => {
  test.each([
    ['url', 'http://h/i/a1B2c3D4e5'],
    ['direct', 'http://h/i/a1B2c3D4e5.jpg'],
    ['slug', 'a1B2c3D4e5'],
    ['markdown', '![my \\[cat\\].jpg](http://h/i/a1B2c3D4e5.jpg)'],
    ['html', '<img src="http://h/i/a1B2c3D4e5.jpg" alt="my [cat].jpg">'],
    ['bbcode', '[img]http://h/i/a1B2c3D4e5.jpg[/img]'],
  ] as const)('writes an image as %s', (format, text) => {
    expect(formatLink(uploadObject, format, 'my [cat].jpg')).toBe(text)
  })

  test.each([
    ['markdown', '[clip.mp4](http://h/i/a1B2c3D4e5)'],
    ['html', '<video src="http://h/i/a1B2c3D4e5.jpg" controls></video>'],
    ['bbcode', '[url=http://h/i/a1B2c3D4e5]clip.mp4[/url]'],
  ] as const)('writes a video as %s', (format, text) => {
    expect(formatLink({ ...uploadObject, mime_type: 'video/mp4' }, format, 'clip.mp4')).toBe(text)
  })

  test('no format lets a name or an address break out of its place', () => {
    const upload = { ...uploadObject, direct_url: 'http://h/"><script>' }
    expect(formatLink(upload, 'html', '"><b>')).not.toContain('<b>')
    expect(formatLink(upload, 'html', 'x')).not.toContain('<script>')
    for (const format of linkFormats) {
      const link = formatLink(upload, format, 'a\u001b\nb')
      expect(link).toBe(printable(link))
    }
  })
})
