import fc from 'fast-check'
import { expect, test } from 'vitest'
import { downloadName } from '../../../../../src/cli/commands/download/download-path.ts'
import { sampledRuns } from '../../../../sampling/sample.ts'

const site = 'https://files.example/i/'

test('for any recorded name, the name of a download is no path, no hidden file, no flag and not too long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit: 'binary' }), (name, slug) => {
      const file = downloadName({ slug, direct_url: `${site}x.png`, mime_type: 'image/png' }, name, slug)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is replaced
      expect(file).toMatch(/^[^.\-/\\:*?"<>|\u0000-\u001f][^/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u202e]*\.png$/u)
      expect(Buffer.byteLength(file)).toBeLessThanOrEqual(255)
    }),
    sampledRuns(200, 25),
  )
})

test('for any text of the service, the name of a download is no path, no hidden file and no flag', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (slug, path, mime_type) => {
      const name = downloadName({ slug, direct_url: `${site}${path}`, mime_type })
      expect(name).toMatch(/^[^.\-/\\][^/\\]{0,165}$/)
      expect(name).not.toMatch(/[. ]$/)
    }),
    sampledRuns(200, 25),
  )
})
