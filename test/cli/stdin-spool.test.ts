import { chmod, mkdir, readdir, stat, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSpoolFolder, sweepSpoolFolders } from '../../src/cli/commands/upload/sources/spool-folders.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { createRig } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'

const head = Buffer.from([0xff, 0xd8, 0xff, 0xe0])

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

test('a run removes the copy of standard input that a killed run left, and no other files', async () => {
  const rig = await emulatedRig()
  const { start, temporary, fh } = rig
  const running = start(['upload', '-', '--name', 'photo.jpg'])
  running.child.stdin?.write(Buffer.concat([head, Buffer.alloc(8_192)]))
  await until(async () => (await readdir(temporary, { recursive: true })).length > 1)
  const [left = ''] = await readdir(temporary)
  expect(left).toMatch(/^fh-spool-/)
  expect((await stat(join(temporary, left))).mode & 0o777).toBe(0o700)
  running.child.kill('SIGKILL')
  await running.ended
  const ends = ['1', '2', '3', '4'].filter((end) => !left.endsWith(end))
  const [linked = '', open = '', other = ''] = ends.map((end) => join(temporary, left.replace(/.$/, end)))
  await rig.write('precious/file', 'x')
  await symlink(join(rig.folder, 'precious'), linked)
  await mkdir(open)
  await chmod(open, 0o777)
  await mkdir(join(other, 'folder'), { recursive: true, mode: 0o700 })
  expect(await fh(['upload', '-', '--name', 'photo.jpg'], { stdin: head })).toMatchObject({ code: 0 })
  expect((await readdir(temporary)).sort()).toEqual([linked, open, other].map((path) => basename(path)))
  expect(await readdir(join(rig.folder, 'precious'))).toEqual(['file'])
})

test('a run keeps the copy of standard input of another run in progress', async () => {
  const { temporary } = await createRig()
  await using one = await makeSpoolFolder(temporary)
  await using other = await makeSpoolFolder(temporary)
  await sweepSpoolFolders(temporary)
  expect((await readdir(temporary)).sort()).toEqual([one, other].map(({ path }) => basename(path)).sort())
})
