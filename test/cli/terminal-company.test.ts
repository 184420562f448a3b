import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { heldUpload, twoFiles } from '../helpers/held-upload.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
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

test('--progress none prints only results', async () => {
  const { fh } = await emulatedRig()
  const files = ['photo.jpg', 'picture.png'].map(mediaPath)
  expect(await fh(['upload', '--progress', 'none', ...files])).toMatchObject({ stderr: '2 uploaded\n' })
})
