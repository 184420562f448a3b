import { execFileSync } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'

async function pipedRig(...names: readonly string[]) {
  const rig = await emulatedRig()
  const at = (name: string) => join(rig.folder, name)
  for (const name of names) execFileSync('mkfifo', [at(name)])
  return { ...rig, at, stored: () => rig.emulator.control.health().uploads }
}

/** A shell that runs fh. */
const shell = (line: string) => ({ through: ['bash', '-c', `${line.replace('fh', '"$0" "$@" upload')}`] })

describe.skipIf(process.platform === 'win32')('fh upload of pipes', () => {
  test('A named pipe waits for its writer without holding files back', async () => {
    const { start, at, write, stored } = await pipedRig('photo.jpg')
    await write('own.jpg', jpegBytes(900))
    const running = start(['upload', 'photo.jpg', 'own.jpg', '-j', '1', '--format', 'markdown'], { stdin: '' })
    await running.printed('stderr', /^uploaded own\.jpg/m)
    await writeFile(at('photo.jpg'), jpegBytes(300_000))
    const { code, stdout } = await running.ended
    expect([code, stdout.match(/^!\[\S+?\]/gm), stored()]).toEqual([0, ['![photo.jpg]', '![own.jpg]'], 2])
  })

  test('A named pipe that ends at once fails as empty, and one with a known content is skipped', async () => {
    const { start, fh, at, write, temporary, stored } = await pipedRig('photo.jpg')
    await write('own.jpg', jpegBytes(900))
    await fh(['upload', 'own.jpg'])
    const empty = start(['upload', 'photo.jpg'], { stdin: '' })
    await writeFile(at('photo.jpg'), '')
    expect(await empty.ended).toMatchObject({ code: 2, stderr: 'fh: photo.jpg: is empty\n' })
    const same = start(['upload', 'photo.jpg', '--json'], { stdin: '' })
    await writeFile(at('photo.jpg'), jpegBytes(900))
    expect(JSON.parse((await same.ended).stdout)).toMatchObject([{ file: 'photo.jpg', status: 'skipped' }])
    expect([await readdir(temporary), stored()]).toEqual([[], 1])
  })

  test('A pipe of a shell is uploaded, under the name that is given or that of its type', async () => {
    const { start, write } = await pipedRig()
    await write('own.jpg', jpegBytes(900))
    const named = await start([], { ...shell('fh <(cat own.jpg) --name x.jpg --format markdown'), stdin: '' }).ended
    expect([named.code, named.stdout]).toEqual([0, expect.stringMatching(/^!\[x\.jpg\]/)])
    const line = 'fh <(cat own.jpg) <(true) --force --format markdown'
    const { code, stdout, stderr } = await start([], { ...shell(line), stdin: '' }).ended
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^!\[upload\.jpg\]\S+\n$/)])
    expect(stderr).toMatch(/^failed \/dev\/fd\/\d+: is empty$/m)
  })

  test('Standard input and a named pipe without an extension are named by their type, and not read by a plan', async () => {
    const { fh, start, at } = await pipedRig('camera')
    const stdin = jpegBytes(900)
    expect((await fh(['upload', '-n', '-'], { stdin })).stdout).toMatch(/^- {2}\? {2}not read yet\n1 file, /)
    expect((await fh(['upload', '-', '--format', 'markdown'], { stdin })).stdout).toMatch(/^!\[upload\.jpg\]/)
    const piped = start(['upload', 'camera', '--force', '--format', 'markdown'], { stdin: '' })
    await writeFile(at('camera'), stdin)
    expect((await piped.ended).stdout).toMatch(/^!\[upload\.jpg\]/)
  })

  test('A pipe on standard input is read through /dev/stdin too', async () => {
    const { fh } = await pipedRig()
    const { code, stdout } = await fh(['upload', '/dev/stdin', '--name', 'x.jpg', '--json'], { stdin: jpegBytes(900) })
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ file: '/dev/stdin', status: 'uploaded' }]])
    const twice = await fh(['upload', '-', '/dev/stdin', '--name', 'x.jpg', '--json'], { stdin: jpegBytes(901) })
    expect(JSON.parse(twice.stdout)).toHaveLength(1)
  })

  test('A named pipe into which nothing is written ends with Ctrl-C', async () => {
    const { start, write, stored, temporary } = await pipedRig('photo.jpg')
    await write('own.jpg', jpegBytes(900))
    const running = start(['upload', 'photo.jpg', 'own.jpg'], { stdin: '' })
    // It waits: the others are sent, and this one is not over.
    await running.printed('stderr', /^uploaded own\.jpg/m)
    running.child.kill('SIGINT')
    expect([(await running.ended).code, stored(), await readdir(temporary)]).toEqual([130, 1, []])
  })

  test('A named pipe is not read by a plan, and a device and a socket are refused', async () => {
    const { fh, at } = await pipedRig('photo.jpg')
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(at('sock'), resolve))
    const { code, stdout, stderr } = await fh(['upload', '-n', 'photo.jpg', '/dev/null', 'sock'])
    server.close()
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^photo\.jpg {2}\? {2}not read yet\n1 file, /)])
    expect(stderr).toBe('fh: /dev/null: is not a file\nfh: sock: is not a file\n')
  })
})
