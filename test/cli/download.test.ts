import { execFile } from 'node:child_process'
import { link, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { until } from '../helpers/until.ts'

const photo = await readFile(mediaPath('photo.jpg'))
const tag = '"state-1"'
const makePipe = (path: string) => promisify(execFile)('mkfifo', [path])

async function rigWithPhoto() {
  const rig = await emulatedRig()
  const upload = async (path: string) => (await rig.fh(['upload', '--format', 'slug', path])).stdout.trim()
  const slug = await upload(mediaPath('photo.jpg'))
  /** Uploads a longer file of the same name. */
  const uploadOther = async () => {
    await rig.write('other/photo.jpg', Buffer.concat([photo, Buffer.from('more')]))
    return await upload('other/photo.jpg')
  }
  return { ...rig, slug, uploadOther, read: (name: string) => readFile(join(rig.folder, name)) }
}

/** A service whose site follows a script, and which shows the upload when it is asked. `fetch` downloads it to `a.jpg`. */
async function rigWithSite(site: readonly Step[], upload: Partial<typeof uploadObject> = {}) {
  let served = 0
  const server = await scriptedServer((request, response) => {
    if (!request.url?.startsWith('/api/')) return site[Math.min(served++, site.length - 1)]?.(request, response)
    const direct_url = `http://${request.headers.host}/i/${uploadObject.slug}.jpg`
    const shown = { ...uploadObject, direct_url, size: photo.length, ...upload }
    return answer(200, { upload: shown })(request, response)
  })
  const rig = await createRig({ service: server })
  const { slug } = uploadObject
  const precious = join(rig.home, 'precious')
  return {
    ...rig,
    server,
    slug,
    precious,
    file: join(rig.folder, 'a.jpg'),
    files: () => server.requests.filter(({ url }) => !url.startsWith('/api/')),
    fetch: (...flags: readonly string[]) => rig.fh(['download', '-o', 'a.jpg', ...flags, slug]),
  }
}

/** A site that sends the first half of the file, and the rest once it is released. */
function heldSite() {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const step: Step = async (_, response) => {
    response.writeHead(200, { 'Content-Length': photo.length, ETag: tag }).write(photo.subarray(0, 40_000))
    await promise
    response.end(photo.subarray(40_000))
  }
  return { step, release }
}

/** The file; cut off at a byte, the connection is cut once `isRead`. */
function serve({ to = photo.length, isRead = async () => true } = {}): Step {
  return async (_, response) => {
    response.writeHead(200, { 'Content-Length': photo.length, ETag: tag }).write(photo.subarray(0, to))
    if (to === photo.length) return response.end()
    // Only what has been read before the cut is there to go on from.
    await until(isRead)
    return response.destroy()
  }
}

test('download names the file after the file that was uploaded and prints the path', async () => {
  const { fh, slug, read, folder } = await rigWithPhoto()
  const { code, stdout, stderr } = await fh(['download', '-v', slug])
  expect([code, stdout]).toEqual([0, 'photo.jpg\n'])
  expect(stderr).toMatch(new RegExp(`^downloaded ${slug} \\(83\\.1 KB\\)$`, 'm'))
  expect((await read('photo.jpg')).equals(photo)).toBe(true)
  expect(await readdir(folder)).toEqual(['photo.jpg'])
})

test('download names the file after its title, and after its slug where nothing else is known', async () => {
  const { fh, home, slug, emulator } = await rigWithPhoto()
  const elsewhere = { env: { FH_STATE_DIR: `${home}/elsewhere` } }
  expect((await fh(['download', slug], elsewhere)).stdout).toBe(`${slug}.jpg\n`)
  await emulator.control.uploads.update(slug, { title: '../On the beach' })
  expect((await fh(['download', slug])).stdout).toBe('_._On the beach.jpg\n')
})

test('downloads of one name are told apart by their slugs, in one run and in several', async () => {
  const { fh, slug, uploadOther, write, folder, read } = await rigWithPhoto()
  const other = await uploadOther()
  const both = async (slugs: readonly string[]) => (await fh(['download', '-j', '1', '-O', 'to', ...slugs])).stdout
  expect(await both([slug, other])).toBe(`to/photo.jpg\nto/photo-${other}.jpg\n`)
  expect(await both([other, slug])).toBe(`to/photo-${other}.jpg\nto/photo.jpg\n`)
  expect(await readdir(join(folder, 'to'))).toHaveLength(2)
  await write('photo.jpg', 'mine')
  expect((await fh(['download', slug])).stdout).toBe(`photo-${slug}.jpg\n`)
  expect(String(await read('photo.jpg'))).toBe('mine')
})

test('uploads of one name choose their paths in the order of the run, in whatever order the service shows them', async () => {
  const { promise: isSecondShown, resolve: shown } = Promise.withResolvers<void>()
  const server = await scriptedServer(async (request, response) => {
    const [, slug = ''] = /(first|second)/.exec(request.url ?? '') ?? []
    if (request.url?.startsWith('/i/')) return response.end(photo)
    if (slug === 'first') await isSecondShown
    const direct_url = `http://${request.headers.host}/i/${slug}.jpg`
    const upload = { ...uploadObject, slug, direct_url, title: 'Beach', size: photo.length }
    await answer(200, { upload })(request, response)
    // The second could choose before the first is shown.
    return setTimeout(shown, 50)
  })
  const { fh } = await createRig({ service: server })
  expect((await fh(['download', 'first', 'second'])).stdout).toBe('Beach.jpg\nBeach-second.jpg\n')
})

test('a run that --force makes replace the file is refused while another run downloads to it', async () => {
  const { step, release } = heldSite()
  const { start, fh, slug, folder, file } = await rigWithSite([step])
  const first = start(['download', slug, '-o', 'a.jpg'])
  await until(async () => (await readdir(folder)).includes('a.jpg.part'))
  const { code, stderr } = await fh(['download', slug, '-o', 'a.jpg', '--force'])
  release()
  expect((await first.ended).code).toBe(0)
  expect([code, stderr]).toEqual([1, expect.stringContaining('a.jpg cannot be written: another run downloads to it')])
  expect(await readdir(folder)).toEqual(['a.jpg'])
  expect((await readFile(file)).equals(photo)).toBe(true)
})

test('download accepts several slugs and URLs, and creates the folder of -O but not that of -o', async () => {
  const { fh, slug, folder } = await rigWithPhoto()
  const second = (await fh(['upload', '--format', 'url', mediaPath('clip.mp4')])).stdout.trim()
  const { code, stdout } = await fh(['download', '-O', 'new/deep', '--limits', 'none', slug, second, slug])
  expect([code, stdout]).toEqual([0, 'new/deep/photo.jpg\nnew/deep/clip.mp4\n'])
  expect(await readdir(join(folder, 'new/deep'))).toHaveLength(2)
  const missing = await fh(['download', slug, '-o', 'nowhere/a.jpg'])
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('the folder nowhere does not exist\n')])
})

test.each(['-', '/dev/stdout'])('download -o %s writes only the bytes to standard output', async (output) => {
  const rig = await rigWithSite([serve()])
  const target = join(rig.folder, 'piped')
  expect((await rig.start(['download', '-o', output, rig.slug], { stdout: target }).ended).code).toBe(0)
  expect((await readFile(target)).equals(photo)).toBe(true)
})

test('download -o - ends quietly when its reader closes', async () => {
  const { step, release } = heldSite()
  const rig = await rigWithSite([step])
  const running = rig.start(['download', '-o', '-', rig.slug], { stdin: '' })
  await running.printed('stdout', /./)
  running.child.stdout?.once('close', release).destroy()
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
})

test('download of twenty files at a time prints no warning', async () => {
  const { fh, emulator, folder } = await emulatedRig()
  emulator.control.accounts.addUploads(1, { count: 25, size: 2_000 })
  const { code, stderr } = await fh(['download', '-j', '20', '-O', 'out', '--json', '--all'])
  expect([code, stderr, (await readdir(join(folder, 'out'))).length]).toEqual([0, '', 25])
})

test('download keeps a file of the same size, and replaces another one only with --force', async () => {
  const { fh, slug, write, read } = await rigWithPhoto()
  await fh(['download', slug])
  const again = await fh(['download', '--json', slug])
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, [{ status: 'skipped', path: 'photo.jpg' }]])
  expect((await fh(['download', slug])).stderr).toBe('kept photo.jpg: it exists already, with the same size\n')
  await write('mine.txt', 'mine')
  const refused = await fh(['download', '-o', 'mine.txt', slug])
  expect([refused.code, String(await read('mine.txt'))]).toEqual([2, 'mine'])
  expect(refused.stderr).toMatch(/mine\.txt exists already\n {2}Add --force/)
  expect((await fh(['download', '--force', '-o', 'mine.txt', slug])).code).toBe(0)
  expect((await read('mine.txt')).equals(photo)).toBe(true)
})

test('download keeps the part if the connection stays broken, and the next run asks for the rest, or for all where that is unknown', async () => {
  const isRead = async () => (await stat(`${rig.file}.part`).catch(() => undefined))?.size === 30_000
  const rig = await rigWithSite([serve({ to: 30_000, isRead }), answer(416, ''), serve()])
  const { code, stderr } = await rig.fetch('--retries', '0')
  expect([code, stderr]).toMatchObject([5, expect.stringContaining('the connection broke')])
  expect((await rig.fetch()).code).toBe(0)
  expect(rig.files()[1]?.headers).toMatchObject({ range: 'bytes=30000-', 'if-range': tag })
  expect(rig.files()[2]?.headers.range).toBeUndefined()
  expect((await readFile(rig.file)).equals(photo)).toBe(true)
  expect(await readdir(rig.folder)).toEqual(['a.jpg'])
})

test.each<[string, (precious: string, part: string) => Promise<unknown>, string]>([
  ['a second name of another file', link, 'a hard link'],
  ['a link', symlink, 'it is not a file'],
  ['a pipe', (_, part) => makePipe(part), 'it is not a file'],
])('download refuses %s in place of its part, and says what to remove', async (_, place, why) => {
  const rig = await rigWithSite([serve()])
  await writeFile(rig.precious, 'mine')
  await place(rig.precious, `${rig.file}.part`)
  const { code, stderr } = await rig.fetch()
  expect([code, String(await readFile(rig.precious))]).toEqual([1, 'mine'])
  expect(stderr).toMatch(new RegExp(`a\\.jpg\\.part cannot be used: .*${why}\\n {2}Remove it`))
})

test.each<[string, (precious: string, note: string) => Promise<unknown>]>([
  ['the note of another upload', (_, note) => writeFile(note, `{"slug":"another","validator":${JSON.stringify(tag)}}`)],
  ['a link', symlink],
  ['a pipe', (_, note) => makePipe(note)],
])('download does not go on by %s in place of its note', async (_, place) => {
  const rig = await rigWithSite([serve()])
  const note = JSON.stringify({ slug: rig.slug, validator: tag })
  await writeFile(rig.precious, note)
  await writeFile(`${rig.file}.part`, photo.subarray(0, 50_000))
  await place(rig.precious, `${rig.file}.part.json`)
  expect((await rig.fetch()).code).toBe(0)
  expect([rig.files()[0]?.headers.range, String(await readFile(rig.precious))]).toEqual([undefined, note])
  expect(await readdir(rig.folder)).toEqual(['a.jpg'])
})

test('download replaces a broken link only with --force, then the link instead of its target, and never a pipe', async () => {
  const rig = await rigWithSite([serve()])
  await symlink(rig.precious, rig.file)
  expect((await rig.fetch()).stderr).toMatch(/a\.jpg exists already/)
  expect(rig.files()).toEqual([])
  await writeFile(rig.precious, 'mine')
  expect((await rig.fetch('--force')).code).toBe(0)
  expect([String(await readFile(rig.precious)), (await lstat(rig.file)).isFile()]).toEqual(['mine', true])
  await makePipe(join(rig.folder, 'pipe'))
  for (const flags of [[], ['--force']]) {
    const refused = await rig.fh(['download', ...flags, '-o', 'pipe', rig.slug])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/pipe cannot be used: it is not a.*\n.*-o - > pipe/),
    ])
  }
  expect((await lstat(join(rig.folder, 'pipe'))).isFIFO()).toBe(true)
})

test('download takes what the filters choose, all, or a list on stdin, and asks for no upload by itself', async () => {
  const { fh, emulator, slug, folder } = await rigWithPhoto()
  emulator.control.accounts.addUploads(1, { count: 3, size: 500, mime_type: 'image/png' })
  emulator.control.requests.clear()
  const files = async (args: readonly string[], stdin = '') => {
    expect(await fh(['download', '-O', args.join(' '), ...args], { stdin })).toMatchObject({ code: 0 })
    return (await readdir(join(folder, args.join(' ')))).length
  }
  expect(await files(['--larger', '500', '--name', '*.jpg'])).toBe(1)
  expect(await files(['--all'])).toBe(4)
  const asked = emulator.control.requests.list().requests.filter(({ endpoint }) => endpoint.startsWith('/api/'))
  expect(asked.map(({ endpoint }) => endpoint)).toEqual(['/api/uploads', '/api/uploads'])
  expect(await files(['--from-stdin'], `${slug}\thttp://h/i/${slug}\n`)).toBe(1)
  expect(await fh(['download', '--from-stdin'])).toMatchObject({ code: 0, stderr: 'No uploads found\n' })
})

test('download of a missing and an existing upload ends with 3 and reports both', async () => {
  const { fh, slug } = await rigWithPhoto()
  const { code, stdout, stderr } = await fh(['download', '--json', 'nothing123', slug])
  expect(code).toBe(3)
  expect(JSON.parse(stdout)).toMatchObject([
    { slug: 'nothing123', status: 'failed', path: null, error: { code: 'not-found' } },
    { slug, status: 'downloaded', path: 'photo.jpg', error: null },
  ])
  expect(jsonLines(stderr)).toMatchObject([{ type: 'error', slug: 'nothing123', code: 'not-found' }])
})
