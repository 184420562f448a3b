import { expect, test } from 'vitest'
import { downloadName } from '../../../../../src/cli/commands/download/download-path.ts'

const site = 'https://files.example/i/'

test.each([
  ['aB3', `${site}aB3.JPG`, 'image/jpeg', 'aB3.jpg'],
  ['aB3', `${site}aB3`, 'video/quicktime', 'aB3.mov'],
  ['aB3', 'no address', 'text/odd', 'aB3'],
  ['a-b_c.d', `${site}a-b_c.d.png?x=.exe`, 'image/png', 'a-b_c.d.png'],
  ['a.jpg', `${site}a.jpg.part`, 'image/jpeg', 'a.jpg_part'],
  ['a.jpg.part', `${site}a.json`, 'image/jpeg', 'a.jpg_part.json'],
  ['a.jpg.part', `${site}a.lock`, 'image/jpeg', 'a.jpg_part.lock'],
])('the upload %s at %s of type %s is saved as %s', (slug, direct_url, mime_type, name) => {
  expect(downloadName({ slug, direct_url, mime_type })).toBe(name)
})

test.each([
  ['cat.png', 'png', 'cat.png'],
  ['IMG_1.JPEG', 'jpg', 'IMG_1.JPEG'],
  ['cat.png', 'webp', 'cat.png.webp'],
  ['Übung 休日.mp4', 'mp4', 'Übung 休日.mp4'],
  ["It's (1) & 50% #2, ok!.png", 'png', "It's (1) & 50% #2, ok!.png"],
  ['👨‍👩‍👧.png', 'png', '👨‍👩‍👧.png'],
  ['what? a:b|c*.png', 'png', 'what_ a_b_c_.png'],
  ['v1.2', 'gif', 'v1.2.gif'],
  ['con.png', 'png', '_con.png'],
  ['\u202egnp.exe\u001b[2J', 'png', '_gnp.exe_[2J.png'],
  ['', 'png', '_.png'],
  ['caf\ufffd.png', 'png', 'caf\ufffd.png'],
  ['休'.repeat(200), 'png', `${'休'.repeat(50)}.png`],
])('an upload that is called %j is stored as %s-file', (name, extension, file) => {
  const upload = { slug: 'aB3', direct_url: `${site}aB3.${extension}`, mime_type: 'image/png' }
  expect(downloadName(upload, name)).toBe(file)
})

test('the slug that tells two downloads of one name apart comes before the extension', () => {
  const upload = { slug: 'aB3', direct_url: `${site}aB3.png`, mime_type: 'image/png' }
  expect(downloadName(upload, 'cat.png', 'aB3')).toBe('cat-aB3.png')
  expect(downloadName(upload, 'NUL.png', '../x')).toBe('_NUL-_._x.png')
})
