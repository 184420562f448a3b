import { afterEach, describe, expect, test, vi } from 'vitest'
import { formatLink } from '../../../../src/cli/commands/upload/run-upload.ts'
import { formatDate, formatExactDate, printable, toJson } from '../../../../src/cli/format/format.ts'
import { linkFormats } from '../../../../src/protocol/upload-links.ts'
import { uploadObject } from '../../../helpers/media.ts'

test.each([
  ['a\u001b[2Jb', 'a\\x1b[2Jb'],
  ['a\nb', 'a\\x0ab'],
  ['a\u009b2Jb', 'a\\x9b2Jb'],
  ['gpj.\u202egnp', 'gpj.\\u202egnp'],
  ['\u2067x\u2069', '\\u2067x\\u2069'],
  ['\u007f', '\\x7f'],
  ['Ștefan, 写真, 👩‍👧', 'Ștefan, 写真, 👩‍👧'],
])('control characters and marks of direction are shown as escapes, and nothing else is: %j', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('control characters in a JSON line are escaped, and its value is the same', () => {
  const value = { title: '\u001b[31m\u009b\u202e' }
  const line = toJson(value)
  expect([line, JSON.parse(line)]).toEqual(['{"title":"\\u001b[31m\\u009b\\u202e"}', value])
})

describe('a date', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test.each([
    ['Europe/Bucharest', '2026-11-21T23:30:15+02:00', '2026-11-21 23:30', '2026-11-21 23:30:15 +02:00'],
    ['America/St_Johns', '2026-11-21T23:30:15.123456Z', '2026-11-21 20:00', '2026-11-21 20:00:15 -03:30'],
    ['Asia/Tokyo', '2026-07-21T23:30:15+0300', '2026-07-22 05:30', '2026-07-22 05:30:15 +09:00'],
    ['UTC', '2026-11-21T09:30:15', '2026-11-21T09:30:15', '2026-11-21T09:30:15'],
    ['UTC', 'yesterday\u001b', 'yesterday\\x1b', 'yesterday\\x1b'],
  ])('in the time zone %s the date %j is written as %j', (zone, value, shown, exact) => {
    vi.stubEnv('TZ', zone)
    expect([formatDate(value), formatExactDate(value)]).toEqual([shown, exact])
  })
})

test.each([
  ['url', 'image/png', 'http://h/i/a1B2c3D4e5'],
  ['direct', 'image/png', 'http://h/i/a1B2c3D4e5.jpg'],
  ['slug', 'image/png', 'a1B2c3D4e5'],
  ['markdown', 'image/png', '![my \\[cat\\].jpg](http://h/i/a1B2c3D4e5.jpg)'],
  ['html', 'image/png', '<img src="http://h/i/a1B2c3D4e5.jpg" alt="my [cat].jpg">'],
  ['bbcode', 'image/png', '[img]http://h/i/a1B2c3D4e5.jpg[/img]'],
  ['markdown', 'video/mp4', '[my \\[cat\\].jpg](http://h/i/a1B2c3D4e5)'],
  ['html', 'video/mp4', '<video src="http://h/i/a1B2c3D4e5.jpg" controls></video>'],
  ['bbcode', 'video/mp4', '[url=http://h/i/a1B2c3D4e5]my cat.jpg[/url]'],
] as const)('a link in the format %s of a file of type %s is %s', (format, mime_type, text) => {
  expect(formatLink({ ...uploadObject, mime_type }, format, 'my [cat].jpg')).toBe(text)
})

test.each([
  ['a]b[c.jpg', 'a\\]b\\[c.jpg'],
  ['back\\slash', 'back\\\\slash'],
  ['`code`.jpg', '\\`code\\`.jpg'],
  ['<img src=x>', '\\<img src=x\\>'],
  ['a&lt;b|c', 'a\\&lt;b\\|c'],
  ['*a* ~b~', '\\*a\\* \\~b\\~'],
  ['_my_photo_1_.jpg', '\\_my_photo_1\\_.jpg'],
  ['"quoted" \'name\'', '"quoted" \'name\''],
])('of the name %j the label in Markdown is %j', (name, label) => {
  expect(formatLink(uploadObject, 'markdown', name)).toBe(`![${label}](http://h/i/a1B2c3D4e5.jpg)`)
})

test('marks in an address are percent-encoded where they would end it', () => {
  const upload = { ...uploadObject, url: 'http://h/i/a)b]c d', direct_url: 'http://h/i/a)b(c]d[e>f"g.jpg' }
  const video = { ...upload, mime_type: 'video/mp4' }
  expect(formatLink(upload, 'markdown', 'x')).toBe('![x](http://h/i/a%29b%28c%5Dd%5Be%3Ef%22g.jpg)')
  expect(formatLink(upload, 'bbcode', 'x')).toBe('[img]http://h/i/a%29b%28c%5Dd%5Be%3Ef%22g.jpg[/img]')
  expect(formatLink(video, 'markdown', 'x')).toBe('[x](http://h/i/a%29b%5Dc%20d)')
  expect(formatLink(video, 'bbcode', 'x[/url]')).toBe('[url=http://h/i/a%29b%5Dc%20d]x/url[/url]')
  expect(formatLink(upload, 'direct', 'x')).toBe('http://h/i/a)b(c]d[e>f"g.jpg')
})

test('a name and an address in HTML are text and nothing else', () => {
  const upload = { ...uploadObject, direct_url: 'http://h/?a=1&b="2"' }
  const html = '<img src="http://h/?a=1&#38;b=&#34;2&#34;" alt="&#60;b&#62; &#38;amp; &#34;x&#34; &#39;y&#39;">'
  expect(formatLink(upload, 'html', '<b> &amp; "x" \'y\'')).toBe(html)
})

test('no format lets a control character of a name or of an address through', () => {
  for (const format of linkFormats) {
    const link = formatLink(uploadObject, format, 'a\u001b\nb')
    expect(link).toBe(printable(link))
  }
})
