import fc from 'fast-check'
import { expect, test } from 'vitest'
import { downloadName } from '../../../../../src/cli/commands/download/download-name.ts'

const site = 'https://files.example/i/'

test.each([
  ['aB3', `${site}aB3.JPG`, 'image/jpeg', 'aB3.jpg'],
  ['aB3', `${site}aB3`, 'video/quicktime', 'aB3.mov'],
  ['aB3', 'no address', 'text/odd', 'aB3'],
  ['a-b_c.d', `${site}a-b_c.d.png?x=.exe`, 'image/png', 'a-b_c.d.png'],
  ['a.jpg', `${site}a.jpg.part`, 'image/jpeg', 'a.jpg_part'],
  ['a.jpg.part', `${site}a.json`, 'image/jpeg', 'a.jpg_part.json'],
  ['NUL', `${site}NUL.gif`, 'image/gif', '_NUL.gif'],
])('the upload %s at %s of type %s is saved as %s', (slug, direct_url, mime_type, name) => {
  expect(downloadName({ slug, direct_url, mime_type })).toBe(name)
})

test('for any text of the service, the name of a download is no path, no hidden file and no flag', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (slug, path, mime_type) => {
      const name = downloadName({ slug, direct_url: `${site}${path}`, mime_type })
      expect(name).toMatch(/^[\w][\w.-]{0,165}$/)
      expect(name).not.toMatch(/\.$/)
    }),
  )
})
