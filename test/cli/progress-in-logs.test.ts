import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { openTerminal, terminalTest } from '../helpers/terminal.ts'

const files = ['1.jpg', '2.jpg', '3.jpg', '4.jpg']
const everyFile = [...files.map((file) => expect.stringMatching(`^uploaded ${file}`)), '4 uploaded']

async function rigWithFiles() {
  const rig = await emulatedRig()
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(1_000_003 - index))
  return rig
}

test('--progress plain tells each file of a run, however short, and no quarters of it', async () => {
  const rig = await rigWithFiles()
  const { code, stderr } = await rig.fh(['upload', '-j', '1', '--progress', 'plain', ...files])
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^[\n\x20-\x7e]*$/)])
  expect(stderr.trimEnd().split('\n')).toEqual(everyFile)
})

terminalTest('a terminal of a CI run is a log too', async () => {
  const rig = await rigWithFiles()
  const args = ['upload', '-j', '1', '-v', ...files]
  const terminal = openTerminal(rig, args, { env: { CI: 'true', NO_COLOR: '1' } })
  const { code, lines } = await terminal.ended
  expect(code).toBe(0)
  expect(terminal.raw()).toMatch(/^[\r\n\x20-\x7e]*$/)
  expect(lines.filter((line) => line.includes('uploaded'))).toEqual(everyFile)
})

test('--progress none prints only results', async () => {
  const rig = await rigWithFiles()
  expect(await rig.fh(['upload', '--progress', 'none', ...files])).toMatchObject({ stderr: '4 uploaded\n' })
})
