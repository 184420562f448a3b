import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { heldUpload, twoFiles } from '../helpers/held-upload.ts'
import { jpegBytes, mediaPath, uploadObject } from '../helpers/media.ts'
import { fhCommand } from '../helpers/rig.ts'
import { asItWas, terminalTest } from '../helpers/terminal.ts'

terminalTest('links that are longer than the terminal is wide are printed whole among the bars', async () => {
  const url = `https://files.example/${'long-'.repeat(30)}end`
  const { terminal, release } = await heldUpload({ columns: 60, upload: { ...uploadObject, url } })
  release()
  expect((await terminal.ended).code).toBe(0)
  expect(terminal.paragraphs()).toEqual([url, url, '2 uploaded'])
  expect(terminal.state()).toEqual(asItWas)
})

terminalTest.each([
  ['its output is read through a pipe', '"$0" "$@" | cat'],
  ['it has the null device for input, as below xargs', '"$0" "$@" < /dev/null'],
])('no bars are drawn if others write to the terminal: %s', async (_, script) => {
  const command = ['sh', '-c', script, ...fhCommand]
  const { terminal, release } = await heldUpload({ args: [...twoFiles, '-v'], command, shows: null })
  release()
  const { lines } = await terminal.ended
  expect(lines.filter((line) => line.startsWith('uploaded '))).toHaveLength(2)
  expect(lines.filter((line) => line === uploadObject.url)).toHaveLength(2)
  expect(terminal.raw()).not.toContain('\x1b[?25l')
})

terminalTest('an upload that waits for another file of the same size says so', async () => {
  const files = { 'one.jpg': jpegBytes(900), 'two.jpg': jpegBytes(900) }
  const shows = /(one|two)\.jpg +waiting: a file of the same size is being sent/
  const { terminal, release } = await heldUpload({ args: ['upload', '-j', '2', ...Object.keys(files)], files, shows })
  release()
  expect((await terminal.ended).code).toBe(0)
})

terminalTest(
  'a terminal of a CI run is a log: each file is told, however short the run, and no quarters of it',
  async () => {
    const env = { CI: 'true', NO_COLOR: '1' }
    const { terminal, release } = await heldUpload({ args: [...twoFiles, '-v'], env, shows: null })
    release()
    const { code, lines } = await terminal.ended
    expect([code, terminal.raw()]).toEqual([0, expect.stringMatching(/^[\r\n\x20-\x7e]*$/)])
    expect(lines.filter((line) => line.includes('uploaded'))).toEqual([
      expect.stringMatching(/^uploaded .*photo\.jpg/),
      expect.stringMatching(/^uploaded .*picture\.png/),
      '2 uploaded',
    ])
  },
)

test('--progress none prints only results', async () => {
  const { fh } = await emulatedRig()
  const files = ['photo.jpg', 'picture.png'].map(mediaPath)
  expect(await fh(['upload', '--progress', 'none', ...files])).toMatchObject({ stderr: '2 uploaded\n' })
})
