import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { boundByPermissions, permissionTest } from '../helpers/bound-by-permissions.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes, mediaFiles, mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, fhCommand, jsonLines } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const link = /^http:\/\/127\.0\.0\.1:\d+\/i\/[^/\s]+$/

describe('upload', () => {
  test('upload prints one link per file in the order given, and messages on stderr', async () => {
    const { fh } = await emulatedRig()
    const { code, stdout, stderr } = await fh([
      'upload',
      mediaPath('clip.mp4'),
      mediaPath('photo.jpg'),
      '--format',
      'direct',
      '--progress',
      'plain',
    ])
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.replace(/.*\./, ''))).toEqual(['mp4', 'jpg'])
    expect(stderr).toMatch(/^uploaded .*photo\.jpg \(83\.1 KB\)$/m)
    expect(stderr).toMatch(/^2 uploaded$/m)
  })

  test.each(mediaFiles)('upload accepts %s', async (name, mime_type) => {
    const { fh } = await emulatedRig()
    const { stdout } = await fh(['upload', mediaPath(name), '--json'])
    const { size } = await stat(mediaPath(name))
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'uploaded', upload: { mime_type, size } }])
  })

  test.each([
    ['small', 50_000],
    ['large', 5_000_000],
  ])('a %s file arrives byte for byte, under its name', async (_, size) => {
    const server = await scriptedServer(answer(201, { upload: uploadObject }))
    const rig = await createRig({ service: server })
    const bytes = Buffer.concat([jpegBytes(100), randomBytes(size)])
    await rig.write('my photo.jpg', bytes)
    expect((await rig.fh(['upload', 'my photo.jpg'])).code).toBe(0)
    const { body, headers } = server.requests[0] ?? { body: Buffer.alloc(0), headers: {} }
    expect(body.includes(bytes)).toBe(true)
    expect(body.subarray(0, 300).toString('latin1')).toContain('name="file"; filename="my photo.jpg"')
    expect(headers['content-length']).toBe(String(body.length))
  })

  test('upload --json prints one array of records, --jsonl a line for each', async () => {
    const { fh } = await emulatedRig()
    const files = [mediaPath('photo.jpg'), mediaPath('picture.png')]
    const { stdout } = await fh(['upload', ...files, '--json'])
    expect(JSON.parse(stdout)).toEqual(
      files.map((file) => ({ file, status: 'uploaded', upload: expect.objectContaining({ views: 0 }), error: null })),
    )
    const lines = jsonLines((await fh(['upload', ...files, '--jsonl', '--fields', 'status,url'])).stdout)
    expect(lines).toEqual([
      { status: 'skipped', url: expect.stringMatching(link) },
      { status: 'skipped', url: expect.stringMatching(link) },
    ])
  })

  test('upload -r uploads the files of a folder, except hidden ones', async () => {
    const { fh, write } = await emulatedRig()
    for (const [index, path] of ['in/b.jpg', 'in/deep/a.jpg', 'in/.hidden.jpg'].entries()) {
      await write(path, jpegBytes(500 + index))
    }
    const { stdout } = await fh(['upload', '-r', 'in', '--json', '--fields', 'file,status'])
    expect(JSON.parse(stdout)).toEqual([
      { file: 'in/b.jpg', status: 'uploaded' },
      { file: 'in/deep/a.jpg', status: 'uploaded' },
    ])
  })

  test('files of a folder that are of no accepted type are left out in one line, and count for nothing', async () => {
    const { fh, write } = await emulatedRig()
    await write('in/a.jpg', jpegBytes(500))
    await write('in/empty.jpg', '')
    for (const path of ['in/readme.md', 'in/deep/index.html', 'other/x.txt']) await write(path, '<!doctype html>')
    const { code, stdout, stderr } = await fh(['upload', '-r', 'in', '--exclude', 'empty.jpg'])
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(/^\S+\n$/),
      'in/deep/index.html, in/readme.md are of no accepted type: left out\n',
    ])
    const nothing = await fh(['upload', '-r', 'other', '--json'])
    expect([nothing.code, nothing.stdout, nothing.stderr]).toEqual([0, '[]\n', ''])
    expect((await fh(['upload', '-r', 'other', '--error-on-no-transfer'])).code).toBe(9)
    const records = async (...args: string[]) =>
      JSON.parse((await fh(['upload', '--json', '--fields', 'file,status', ...args])).stdout)
    expect(await records('-r', 'in')).toEqual([
      { file: 'in/a.jpg', status: 'skipped' },
      { file: 'in/empty.jpg', status: 'failed' },
    ])
    // What is named, and what the service is to judge, is not left out.
    expect(await records('other/x.txt')).toEqual([{ file: 'other/x.txt', status: 'failed' }])
    expect((await fh(['upload', '-n', '-r', 'other', '--any-type'])).stdout).toContain('other/x.txt')
  })

  test('a quoted pattern is matched by fh itself', async () => {
    const { fh, write } = await emulatedRig()
    for (const path of ['b.jpg', 'a.jpg', 'c.txt']) await write(path, jpegBytes(500))
    const { stdout } = await fh(['upload', '*.jpg', '--jsonl', '--fields', 'file', '-j', '1'])
    expect(jsonLines(stdout)).toEqual([{ file: 'a.jpg' }, { file: 'b.jpg' }])
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

  test.each([
    ['no path at all', [], /^fh: No files given\n {2}Give files/],
    ['a list that is not there', ['--files-from', 'gone.txt'], /^fh: --files-from: gone\.txt does not exist\n/],
    ['a list that is a folder', ['--files-from', '.'], /^fh: --files-from: \. is a folder\n/],
    ['-0 without a list', ['-0', 'a.jpg'], /^fh: -0 requires --files-from\n/],
    ['standard input as list and file', ['-', '--name', 'a.jpg', '--files-from', '-'], /both the list and a file\n/],
  ])('%s ends with 2 and says why', async (_, args, message) => {
    const { fh } = await emulatedRig()
    expect(await fh(['upload', ...args])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  })

  test('a file given twice is uploaded once, with a note', async () => {
    const { fh, write, emulator } = await emulatedRig()
    await write('a.jpg', jpegBytes(500))
    const { code, stdout, stderr } = await fh(['upload', 'a.jpg', './a.jpg', '*.jpg'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+\n$/)])
    expect(stderr).toContain('a.jpg given more than once; uploading once\n')
    expect(emulator.control.requests.list({ method: 'POST' }).requests).toHaveLength(1)
  })

  test('standard input is uploaded under its name and leaves nothing behind', async () => {
    const rig = await emulatedRig()
    const photo = await readFile(mediaPath('photo.jpg'))
    const { code, stdout } = await rig.fh(['upload', '-', '--name', 'my photo.jpg', '--format', 'markdown'], {
      stdin: photo,
    })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^!\[my photo\.jpg\]\(http.*\.jpg\)\n$/)])
    expect(await readdir(rig.temporary)).toEqual([])
  })

  test('fh prints each failure with its reason when it happens, and again at the end after the count', async () => {
    const { fh } = await emulatedRig()
    const files = ['gone.jpg', mediaPath('photo.jpg'), 'lost.jpg']
    const { code, stdout, stderr } = await fh(['upload', ...files, '-j', '1', '--progress', 'plain'])
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^http.*\n$/)])
    expect(stderr.trimEnd().split('\n')).toEqual([
      'failed gone.jpg: does not exist',
      expect.stringMatching(/^uploaded .*photo\.jpg/),
      'failed lost.jpg: does not exist',
      '1 uploaded, 2 failed',
      'fh: gone.jpg: does not exist',
      'fh: lost.jpg: does not exist',
    ])
  })

  test('upload --fail-fast starts nothing after the first failure', async () => {
    const { fh } = await emulatedRig()
    const { code, stdout } = await fh([
      'upload',
      '--fail-fast',
      '-j',
      '1',
      '--json',
      'gone.jpg',
      mediaPath('photo.jpg'),
    ])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject([
      { status: 'failed', error: { code: 'source-missing' } },
      { status: 'not_started', error: { code: 'not-started' } },
    ])
  })

  test('a rejected key is tried once, not for every file', async () => {
    const server = await scriptedServer(answer(401, { error: 'Invalid API key.' }))
    const { fh } = await createRig({ service: server })
    const files = ['photo.jpg', 'picture.png', 'clip.mp4'].map(mediaPath)
    const { code, stderr } = await fh(['upload', '-j', '1', ...files])
    expect(code).toBe(4)
    expect(server.requests).toHaveLength(1)
    expect(stderr).toContain('2 not started, 1 failed\n')
  })

  test('an empty folder ends with 0, or with 9 with --error-on-no-transfer', async () => {
    const { fh, folder } = await emulatedRig()
    await mkdir(join(folder, 'empty'))
    expect(await fh(['upload', '-r', 'empty'])).toMatchObject({ code: 0, stdout: '' })
    expect((await fh(['upload', '-r', 'empty', '--error-on-no-transfer'])).code).toBe(9)
    expect((await fh(['upload', '-r', 'empty', '--json'])).stdout).toBe('[]\n')
  })

  test('control characters in a file name are escaped', async () => {
    const { fh, write } = await emulatedRig()
    await write('a\u001b[31m.jpg', jpegBytes(500))
    const { stderr } = await fh(['upload', '--progress', 'plain', 'a\u001b[31m.jpg'])
    expect(stderr).toContain('uploaded a\\x1b[31m.jpg')
  })
})

describe('a file that cannot be uploaded ends with 2 and says why:', () => {
  test.each([
    ['missing', 'gone.jpg', 'source-missing', /^fh: gone\.jpg: does not exist/],
    [
      'a part of the path no folder',
      'text.jpg/a.jpg',
      'source-missing',
      /^fh: text\.jpg\/a\.jpg: does not exist: a part/,
    ],
    ['a folder without -r', 'folder', 'source-directory', /^fh: folder: is a folder\n {2}Add -r/],
    ['a pattern without match', '*.gif', 'source-missing', /^fh: \*\.gif: matches no file/],
    ['no path', '', 'source-missing', /^fh: "" is not a path/],
    ['empty', 'empty.jpg', 'source-empty', /^fh: empty\.jpg: is empty\n/],
    ['empty in a folder', 'folder/empty.jpg', 'source-empty', /^fh: folder\/empty\.jpg: is empty\n/],
    ['of a type not accepted', 'text.jpg', 'source-unsupported-type', /^fh: text\.jpg: .*JPEG, PNG, GIF/s],
    ['links in a circle', 'loop.jpg', 'source-unreadable', /^fh: loop\.jpg: cannot be read: its symbolic links/],
  ])('%s', async (_, file, code, message) => {
    const { fh, write, folder, emulator } = await emulatedRig()
    await write('text.jpg', 'hello')
    await write('empty.jpg', '')
    await write('folder/empty.jpg', '')
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

  test('a file that is too large ends with 2, naming the limit', async () => {
    const { fh, write, folder } = await emulatedRig()
    await write('huge.jpg', jpegBytes(100))
    await truncate(join(folder, 'huge.jpg'), 209_715_201)
    const { code, stderr } = await fh(['upload', 'huge.jpg'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^fh: huge\.jpg: .*200 MB/)])
  })

  test('a file that the service refuses ends with 2, with the service’s message', async () => {
    const { fh, write } = await emulatedRig({ maxFileSizeBytes: 1_024 })
    await write('large.jpg', jpegBytes(5_000))
    const { code, stdout, stderr } = await fh(['upload', 'large.jpg', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'failed', error: { http_status: 422 } }])
    expect(JSON.parse(stderr).message).toMatch(/must not be greater than 1 kilobytes/)
  })

  test('the JSON error of a file has its name in a field of its own, not in the message', async () => {
    const { fh, write } = await emulatedRig()
    await write('folder/empty.jpg', '')
    const { stderr } = await fh(['upload', '-j', '1', '--json', 'folder/empty.jpg', 'gone.jpg'])
    expect(jsonLines(stderr)).toMatchObject([
      { file: 'folder/empty.jpg', message: 'is empty' },
      { file: 'gone.jpg', message: 'does not exist' },
    ])
  })

  test('a pattern in a deleted working folder ends with 2', async () => {
    const { program } = await emulatedRig()
    const leave = ['sh', '-c', 'rmdir "$PWD" && exec "$0" "$@"', ...fhCommand]
    const { code, stderr } = await program(['emulate', '-q', '--', ...leave, 'upload', '*.jpg'])
    expect([code, stderr]).toEqual([2, 'fh: *.jpg: cannot be matched: the working folder no longer exists\n'])
  })

  test('empty standard input ends with 2 and is named by its dash', async () => {
    const rig = await emulatedRig()
    const { code, stderr } = await rig.fh(['upload', '-', '--name', 'a.jpg'], { stdin: '' })
    expect([code, stderr]).toEqual([2, 'fh: -: is empty\n'])
  })
})

describe('a file that does not stay as it was ends with 2:', () => {
  test('a file changed during its upload ends with 2', async () => {
    const change = async (request: IncomingMessage) => {
      await once(request, 'data')
      request.pause()
      await appendFile(join(rig.folder, 'growing.jpg'), 'more')
      request.resume()
    }
    const server = await scriptedServer(change)
    const rig = await createRig({ service: server })
    await rig.write('growing.jpg', jpegBytes(100))
    await truncate(join(rig.folder, 'growing.jpg'), 40_000_000)
    const { code, stdout, stderr } = await rig.fh(['upload', '--progress', 'none', 'growing.jpg'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^fh: growing\.jpg: was changed while it was being uploaded, so nothing was stored\n {2}Upload it again/,
    )
  })

  test('a file deleted before its upload ends with 2', async () => {
    const server = await scriptedServer(async (request, response) => {
      await rm(join(rig.folder, 'second.jpg'))
      await answer(201, { upload: uploadObject })(request, response)
    })
    const rig = await createRig({ service: server })
    for (const name of ['first.jpg', 'second.jpg']) await rig.write(name, jpegBytes(500))
    const { code, stdout, stderr } = await rig.fh(['upload', '-j', '1', 'first.jpg', 'second.jpg'])
    expect([code, stdout]).toEqual([3, `${uploadObject.url}\n`])
    expect(stderr).toContain('failed second.jpg: does not exist\n')
  })
})

test('an upload of unknown outcome ends with 8 and has its own status', async () => {
  const server = await scriptedServer(answer(500, '<h1>Server Error</h1>'))
  const { fh } = await createRig({ service: server })
  const { code, stdout, stderr } = await fh(['upload', mediaPath('photo.jpg'), '--json', '--retries', '0'])
  expect(code).toBe(8)
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'unknown', upload: null, error: { code: 'outcome-unknown' } }])
  expect(JSON.parse(stderr).hint).toMatch(/list/)
})

test('control characters in the service’s URL are escaped', async () => {
  const server = await scriptedServer(answer(201, { upload: { ...uploadObject, url: 'http://h/\u001b]0;x\u0007' } }))
  const { fh } = await createRig({ service: server })
  expect((await fh(['upload', mediaPath('photo.jpg')])).stdout).toBe('http://h/\\x1b]0;x\\x07\n')
})
