import { expect, test } from 'vitest'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { openTerminal, terminalTest } from '../helpers/terminal.ts'

const files = ['1.jpg', '2.jpg', '3.jpg', '4.jpg']

async function rigWithFiles() {
  const rig = await emulatedRig()
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(1_000_003 - index))
  return rig
}

const quarters = (lines: readonly string[]) =>
  lines.flatMap((line) => /^(\d) of 4 files, ([\d.]+ [KM]B) of 3\.8 MB/.exec(line)?.[1] ?? [])

test('a log gets one progress line at each quarter, between the lines about files', async () => {
  const rig = await rigWithFiles()
  const { code, stderr } = await rig.fh(['upload', '-j', '1', ...files])
  expect(code).toBe(0)
  expect(stderr).toMatch(/^[\n\x20-\x7e]*$/)
  const lines = stderr.trimEnd().split('\n')
  expect(quarters(lines)).toHaveLength(3)
  expect(lines.filter((line) => line.startsWith('uploaded '))).toHaveLength(4)
  expect(lines.at(-1)).toBe('4 uploaded')
})

terminalTest('a terminal of a CI run is a log too', async () => {
  const rig = await rigWithFiles()
  const terminal = openTerminal(rig, ['upload', '-j', '1', ...files], { env: { CI: 'true', NO_COLOR: '1' } })
  const { code, lines } = await terminal.ended
  expect(code).toBe(0)
  expect(terminal.raw()).toMatch(/^[\r\n\x20-\x7e]*$/)
  expect(quarters(lines)).toHaveLength(3)
})

test('a run that no quota paces shows no expected end', async () => {
  const rig = await emulatedRig({ quotas: unlimited })
  const many = Array.from({ length: 30 }, (_, index) => `${index}.jpg`)
  for (const [index, file] of many.entries()) await rig.write(file, jpegBytes(1_000 + index))
  const { stderr } = await rig.fh(['upload', ...many], { env: { FH_LIMITS: 'none' } })
  expect(stderr).toContain(' of 30 files')
  expect(stderr).not.toContain(' left')
})

test('--progress none prints only results', async () => {
  const rig = await rigWithFiles()
  const { stderr } = await rig.fh(['upload', '--progress', 'none', ...files])
  expect(stderr).toBe('4 uploaded\n')
})
