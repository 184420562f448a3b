import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'

test('endless standard input is refused once it is too long, and its copy is removed', async () => {
  const { start, temporary, emulator } = await emulatedRig()
  const endless = `{ printf '\\377\\330\\377\\340'; cat /dev/zero; } | "$0" "$@"`
  const through = ['sh', '-c', endless]
  const running = start(['upload', '-', '--name', 'endless.jpg', '--max-file-size', '1MB'], { through })
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^fh: standard input: is larger than the limit of 1 MB/)])
  expect(await readdir(temporary)).toEqual([])
  expect(emulator.control.requests.list().requests).toEqual([])
})

test('standard input of a wrong type is refused by its first bytes', async () => {
  const { start, temporary } = await emulatedRig()
  const running = start(['upload', '-', '--name', 'notes.txt'])
  running.child.stdin?.on('error', () => {})
  running.child.stdin?.write(Buffer.alloc(5_000, 'text '))
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^fh: standard input: is text\/plain, which is not/)])
  expect(await readdir(temporary)).toEqual([])
})
