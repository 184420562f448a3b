import { chmod, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { boundByPermissions, permissionTest } from '../helpers/bound-by-permissions.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes, mediaFiles, mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

test('upload prints one link per file in the order given, and messages on stderr', async () => {
  const { fh } = await emulatedRig()
  const files = ['clip.mp4', 'photo.jpg'].map(mediaPath)
  const { code, stdout, stderr } = await fh(['upload', ...files, '--format', 'direct', '--progress', 'plain'])
  const lines = stdout.trimEnd().split('\n')
  expect([code, lines.map((line) => line.replace(/.*\./, ''))]).toEqual([0, ['mp4', 'jpg']])
  expect(stderr).toMatch(/^uploaded .*photo\.jpg \(83\.1 KB\)\n[\s\S]*^2 uploaded/m)
})

test('fh sends a file of every accepted type with its type', async () => {
  const stored = mediaFiles.map((_, index) => answer(201, { upload: { ...uploadObject, slug: `slug${index}` } }))
  const server = await scriptedServer(...stored)
  const rig = await createRig({ service: server, env: { FH_LIMITS: 'none' } })
  const paths = mediaFiles.map(([name]) => mediaPath(name))
  expect(await rig.fh(['upload', '-j', '1', '--no-journal', ...paths])).toMatchObject({ code: 0 })
  const types = server.requests.map(({ body }) => /^Content-Type: (.*)\r$/m.exec(body.toString('latin1'))?.[1])
  expect(types).toEqual(mediaFiles.map(([, type]) => type))
  expect(
    server.requests.every(({ body }, index) => body.includes(`name="file"; filename="${mediaFiles[index]?.[0]}"`)),
  ).toBe(true)
})

test('upload -r uploads the files of a folder, and leaves out hidden ones, and in one line those of other types', async () => {
  const { fh, write } = await emulatedRig()
  for (const [index, path] of ['in/b.jpg', 'in/deep/a.jpg', 'in/.hidden.jpg'].entries()) {
    await write(path, jpegBytes(500 + index))
  }
  for (const path of ['in/readme.md', 'in/deep/index.html', 'other/x.txt']) await write(path, '<!doctype html>')
  const { stderr } = await fh(['upload', '-r', 'in', '-n'])
  expect(stderr).toBe('in/deep/index.html, in/readme.md left out: the service does not take them\n')
  const { stdout } = await fh(['upload', '-r', 'in', '--json', '--fields', 'file,status'])
  expect(JSON.parse(stdout)).toEqual([
    { file: 'in/b.jpg', status: 'uploaded' },
    { file: 'in/deep/a.jpg', status: 'uploaded' },
  ])
  expect(await fh(['upload', '-r', 'other', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
  // What is named, and what the service is to judge, is not left out.
  expect((await fh(['upload', 'other/x.txt'])).code).toBe(2)
  expect((await fh(['upload', '-n', '-r', 'other', '--any-type'])).stdout).toContain('other/x.txt')
})

test('--files-from uploads what a list names, from a file and from standard input', async () => {
  const { fh, write } = await emulatedRig()
  for (const path of ['a.jpg', 'b c.jpg', 'in/d.jpg']) await write(path, jpegBytes(500))
  await write('list.txt', 'b c.jpg\r\n\r\nin/d.jpg\r\n')
  const files = ['--jsonl', '--fields', 'file', '-j', '1']
  const { stdout } = await fh(['upload', 'a.jpg', '--files-from', 'list.txt', ...files])
  expect(jsonLines(stdout).map(({ file }) => file)).toEqual(['a.jpg', 'b c.jpg', 'in/d.jpg'])
  const piped = await fh(['upload', '--files-from', '-', '-0', ...files], { stdin: './a.jpg\0b c.jpg\0' })
  expect(jsonLines(piped.stdout).map(({ file }) => file)).toEqual(['./a.jpg', 'b c.jpg'])
})

test('upload --fail-fast starts nothing after the first failure', async () => {
  const { fh } = await emulatedRig()
  const args = ['--fail-fast', '-j', '1', '--json', 'gone.jpg', mediaPath('photo.jpg')]
  const { code, stdout } = await fh(['upload', ...args])
  const notStarted = { status: 'not_started', error: { code: 'not-started' } }
  const expected = [{ status: 'failed', error: { code: 'source-missing' } }, notStarted]
  expect([code, JSON.parse(stdout)]).toMatchObject([2, expected])
})

test('what cannot be uploaded is told before a file is sent', async () => {
  const { fh } = await emulatedRig()
  const { stdout } = await fh(['upload', '--jsonl', '-j', '1', mediaPath('photo.jpg'), 'gone.jpg'])
  expect(jsonLines(stdout)).toMatchObject([{ file: 'gone.jpg' }, { status: 'uploaded' }])
})

describe('a file that cannot be uploaded ends with 2 and says why:', () => {
  test.each([
    ['missing', 'gone.jpg', 'source-missing', /^fh: gone\.jpg: does not exist/],
    ['a folder without -r', 'folder', 'source-directory', /^fh: folder: is a folder\n {2}Add -r/],
    ['a pattern without match', '*.gif', 'source-missing', /^fh: \*\.gif: matches no file/],
    ['no path', '', 'source-missing', /^fh: "" is not a path/],
    ['of a type not accepted', 'text.jpg', 'source-unsupported-type', /^fh: text\.jpg: .*PNG, GIF.*--any-type lets/s],
    ['links in a circle', 'loop.jpg', 'source-unreadable', /^fh: loop\.jpg: cannot be read: too many symbolic links/],
  ])('%s', async (_, file, code, message) => {
    const { fh, write, folder, emulator } = await emulatedRig()
    await write('text.jpg', 'hello')
    await write('folder/a.jpg', 'x')
    await symlink('loop.jpg', join(folder, 'loop.jpg'))
    const text = await fh(['upload', file])
    expect([text.code, text.stdout]).toEqual([2, ''])
    expect(text.stderr).toMatch(message)
    const json = await fh(['upload', file, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject([
      { file, status: 'failed', upload: null, error: { code, exit_code: 2 } },
    ])
    expect(jsonLines(json.stderr)).toMatchObject([{ type: 'error', file, code }])
    expect(emulator.control.requests.list().requests).toEqual([])
  })

  permissionTest('unreadable for this user', async () => {
    const { program, write, folder } = await emulatedRig()
    await write('mine.jpg', jpegBytes(500))
    await chmod(join(folder, 'mine.jpg'), 0o000)
    const { code, stderr } = await program(['upload', 'mine.jpg'], { through: boundByPermissions })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^fh: mine\.jpg: cannot be read: permission denied/)])
  })
})
