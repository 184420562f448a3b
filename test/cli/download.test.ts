import { execFile } from 'node:child_process'
import { chown, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { deferred } from '../helpers/deferred.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, jsonLines, type Rig } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { until } from '../helpers/until.ts'

const photo = await readFile(mediaPath('photo.jpg'))
const tag = '"state-1"'

async function rigWithPhoto() {
  const rig = await emulatedRig()
  const slug = (await rig.fh(['upload', '--format', 'slug', mediaPath('photo.jpg')])).stdout.trim()
  return { ...rig, slug, read: (name: string) => readFile(join(rig.folder, name)) }
}

/** A service whose site follows a script, and which shows the upload whenever it is asked. */
async function rigWithSite(site: readonly Step[], upload: Partial<typeof uploadObject> = {}) {
  let served = 0
  const server = await scriptedServer((request, response) => {
    if (!request.url?.startsWith('/api/')) return site[Math.min(served++, site.length - 1)]?.(request, response)
    const direct_url = `http://${request.headers.host}/i/${uploadObject.slug}.jpg`
    const shown = { ...uploadObject, direct_url, size: photo.length, ...upload }
    return answer(200, { upload: shown })(request, response)
  })
  const rig = await createRig({ service: server })
  const files = () => server.requests.filter(({ url }) => !url.startsWith('/api/'))
  return { ...rig, server, slug: uploadObject.slug, files }
}

/** A site that sends the first half of the file, and the rest once it is released. */
function heldSite() {
  const { promise, resolve: release } = deferred()
  const step: Step = async (_, response) => {
    response.writeHead(200, { 'Content-Length': photo.length, ETag: tag }).write(photo.subarray(0, 40_000))
    await promise
    response.end(photo.subarray(40_000))
  }
  return { step, release }
}

/** The file from one byte to another; where that is not its end, the connection is cut once `isRead`. */
function serve(from: number, { to = photo.length, etag = tag, isRead = async () => true } = {}): Step {
  return async (_, response) => {
    const range = { 'Content-Range': `bytes ${from}-${photo.length - 1}/${photo.length}` }
    response.writeHead(from === 0 ? 200 : 206, {
      'Content-Length': photo.length - from,
      ETag: etag,
      ...(from > 0 && range),
    })
    response.write(photo.subarray(from, to))
    if (to === photo.length) return response.end()
    // Only what has been read before the cut is there to go on from.
    await until(isRead)
    return response.destroy()
  }
}

/** Whether so many bytes have reached the part of `a.jpg`. */
async function hasPart({ folder }: Rig, bytes: number): Promise<boolean> {
  const part = await stat(join(folder, 'a.jpg.part')).catch(() => undefined)
  return part?.size === bytes
}

function leavePart({ folder }: Rig, name: string, slug: string, bytes: Buffer, validator = tag) {
  const part = join(folder, `${name}.part`)
  return Promise.all([writeFile(part, bytes), writeFile(`${part}.json`, JSON.stringify({ slug, validator }))])
}

describe('download', () => {
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
    const { fh, slug, write, folder, read } = await rigWithPhoto()
    await write('other/photo.jpg', Buffer.concat([photo, Buffer.from('more')]))
    const other = (await fh(['upload', '--format', 'slug', 'other/photo.jpg'])).stdout.trim()
    const both = async (slugs: readonly string[]) => (await fh(['download', '-j', '1', '-O', 'to', ...slugs])).stdout
    expect(await both([slug, other])).toBe(`to/photo.jpg\nto/photo-${other}.jpg\n`)
    expect(await both([other, slug])).toBe(`to/photo-${other}.jpg\nto/photo.jpg\n`)
    expect(await readdir(join(folder, 'to'))).toHaveLength(2)
    expect((await read('to/photo.jpg')).equals(photo)).toBe(true)
    await write('photo.jpg', 'mine')
    expect((await fh(['download', slug])).stdout).toBe(`photo-${slug}.jpg\n`)
    expect(String(await read('photo.jpg'))).toBe('mine')
  })

  test('uploads of one name choose their paths in the order of the run, in whatever order the service shows them', async () => {
    const { promise: isSecondShown, resolve: shown } = deferred()
    const server = await scriptedServer(async (request, response) => {
      const [, slug = ''] = /(first|second)/.exec(request.url ?? '') ?? []
      if (request.url?.startsWith('/i/')) {
        response.end(photo)
        return
      }
      if (slug === 'first') await isSecondShown
      const direct_url = `http://${request.headers.host}/i/${slug}.jpg`
      const upload = { ...uploadObject, slug, direct_url, title: 'Beach', size: photo.length }
      await answer(200, { upload })(request, response)
      // The second could choose before the first is shown.
      setTimeout(shown, 50)
    })
    const { fh } = await createRig({ service: server })
    expect((await fh(['download', 'first', 'second'])).stdout).toBe('Beach.jpg\nBeach-second.jpg\n')
  })

  test('two runs that download uploads of one name at once mix nothing', async () => {
    const { fh, program, slug, emulator, write, read } = await rigWithPhoto()
    const bytes = Buffer.concat([photo, Buffer.alloc(photo.length)])
    await write('other/photo.jpg', bytes)
    const other = (await fh(['upload', '--format', 'slug', 'other/photo.jpg'])).stdout.trim()
    const fault = { match: { method: 'GET', path: '/i/*' }, times: 2, action: { type: 'delay', ms: 300 } } as const
    emulator.control.faults.set([fault])
    await Promise.all([program(['download', slug]), program(['download', other])])
    const again = await fh(['download', '-j', '1', slug, other])
    const paths = again.stdout.trim().split('\n')
    const contents = await Promise.all(paths.map(read))
    expect(contents[0]?.equals(photo)).toBe(true)
    expect(contents[1]?.equals(bytes)).toBe(true)
  })

  test('three runs that download one upload to one file fetch it once, and leave nothing else', async () => {
    const { step, release } = heldSite()
    const { start, slug, files, server, folder } = await rigWithSite([step])
    const runs = [1, 2, 3].map(() => start(['download', slug, '-o', 'a.jpg'], { stdin: '' }))
    await until(() => server.requests.length === 4)
    release()
    for (const { ended } of runs) expect(await ended).toMatchObject({ code: 0, stdout: 'a.jpg\n' })
    expect([files().length, await readdir(folder)]).toEqual([1, ['a.jpg']])
    expect((await readFile(join(folder, 'a.jpg'))).equals(photo)).toBe(true)
  })

  test('a run that --force makes replace the file waits for the one that downloads to it', async () => {
    const { step, release } = heldSite()
    const { start, slug, folder } = await rigWithSite([step])
    const first = start(['download', slug, '-o', 'a.jpg'])
    await until(async () => (await readdir(folder)).includes('a.jpg.part'))
    const second = start(['download', slug, '-o', 'a.jpg', '--force'])
    const said = await second.printed('stderr', /\n/)
    release()
    expect([(await second.ended).code, (await first.ended).code]).toEqual([0, 0])
    expect(said).toContain(`a.jpg: waiting for process ${first.child.pid}, which has been downloading to the`)
    expect(await readdir(folder)).toEqual(['a.jpg'])
    expect((await readFile(join(folder, 'a.jpg'))).equals(photo)).toBe(true)
  })

  test('download --all twice at once, with uploads of one name, fetches each file once and leaves no part', async () => {
    const { fh, program, slug, write, folder, emulator } = await rigWithPhoto()
    await write('other/photo.jpg', Buffer.concat([photo, Buffer.from('more')]))
    const other = (await fh(['upload', '--format', 'slug', 'other/photo.jpg'])).stdout.trim()
    emulator.control.faults.set([
      { match: { method: 'GET', path: '/i/*' }, times: 4, action: { type: 'slow_body', ms: 100, bytes: 40_000 } },
    ])
    const runs = await Promise.all([1, 2].map(() => program(['download', '--all', '-O', 'to'])))
    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    const files = await readdir(join(folder, 'to'))
    expect(files).toHaveLength(2)
    expect(files.filter((name) => name !== 'photo.jpg')).toEqual([
      expect.stringMatching(`^photo-(${slug}|${other}).jpg$`),
    ])
  })

  test('the lock of a download that was killed keeps no later one waiting', async () => {
    const { start, fh, slug, emulator, folder } = await rigWithPhoto()
    emulator.control.faults.set([
      { match: { method: 'GET', path: '/i/*' }, times: 1, action: { type: 'slow_body', ms: 60_000, bytes: 40_000 } },
    ])
    const killed = start(['download', slug, '-o', 'a.jpg'])
    await until(() => emulator.control.faults.list()[0]?.struck === 1)
    killed.child.kill('SIGKILL')
    await killed.ended
    const { code } = await fh(['download', slug, '-o', 'a.jpg'])
    expect([code, await readdir(folder)]).toEqual([0, ['a.jpg']])
  })

  test('download sends one API request per upload, and fetches the file without the key', async () => {
    const { fh, server, slug } = await rigWithSite([serve(0)])
    expect((await fh(['download', slug])).code).toBe(0)
    expect(server.requests.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([
      [`/api/uploads/${slug}`, 'test-key'],
      [`/i/${slug}.jpg`, undefined],
    ])
  })

  test('download accepts several slugs and URLs, and creates the folder', async () => {
    const { fh, slug, folder } = await rigWithPhoto()
    const second = (await fh(['upload', '--format', 'url', mediaPath('clip.mp4')])).stdout.trim()
    const { code, stdout } = await fh(['download', '-O', 'new/deep', '--limits', 'none', slug, second, slug])
    expect([code, stdout]).toEqual([0, 'new/deep/photo.jpg\nnew/deep/clip.mp4\n'])
    expect(await readdir(join(folder, 'new/deep'))).toHaveLength(2)
  })

  test('download -o - writes only the bytes to standard output', async () => {
    const rig = await rigWithSite([serve(0)])
    const target = join(rig.folder, 'piped')
    expect((await rig.start(['download', '-o', '-', rig.slug], { stdout: target }).ended).code).toBe(0)
    expect((await readFile(target)).equals(photo)).toBe(true)
  })

  test('download -o - ends quietly when its reader closes', async () => {
    const { promise: left, resolve: leave } = deferred()
    const rig = await rigWithSite([
      async (_, response) => {
        response.writeHead(200, { 'Content-Length': photo.length, ETag: tag })
        response.write(photo.subarray(0, 1_000))
        await left
        response.end(photo.subarray(1_000))
      },
    ])
    const running = rig.start(['download', '-o', '-', rig.slug], { stdin: '' })
    await running.printed('stdout', /./)
    running.child.stdout?.once('close', leave).destroy()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('download keeps a file of the same size, and replaces another one only with --force', async () => {
    const { fh, slug, folder, read } = await rigWithPhoto()
    await fh(['download', slug])
    const again = await fh(['download', '--json', slug])
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, [{ status: 'skipped', path: 'photo.jpg' }]])
    expect((await fh(['download', slug])).stderr).toBe('kept photo.jpg: it exists already, with the same size\n')
    await writeFile(join(folder, 'mine.txt'), 'mine')
    const refused = await fh(['download', '-o', 'mine.txt', slug])
    expect([refused.code, String(await read('mine.txt'))]).toEqual([2, 'mine'])
    expect(refused.stderr).toMatch(/mine\.txt exists already\n {2}Add --force/)
    expect((await fh(['download', '--force', '-o', 'mine.txt', slug])).code).toBe(0)
    expect((await read('mine.txt')).equals(photo)).toBe(true)
  })

  test('download resumes an interrupted run if the file is still the same', async () => {
    const rig = await rigWithSite([serve(50_000)])
    await leavePart(rig, 'a.jpg', rig.slug, photo.subarray(0, 50_000))
    expect((await rig.fh(['download', '-o', 'a.jpg', rig.slug])).code).toBe(0)
    expect(rig.files()[0]?.headers).toMatchObject({ range: 'bytes=50000-', 'if-range': tag })
    expect((await readFile(join(rig.folder, 'a.jpg'))).equals(photo)).toBe(true)
    expect(await readdir(rig.folder)).toEqual(['a.jpg'])
  })

  test.each([
    ['the site answers with the whole file', [serve(0, { etag: '"state-2"' })]],
    ['the site answers with a part of another state', [serve(50_000, { etag: '"state-2"' }), serve(0)]],
    ['the site knows no such part', [answer(416, ''), serve(0)]],
  ])('download starts again at 0 if %s', async (_, site) => {
    const rig = await rigWithSite(site)
    await leavePart(rig, 'a.jpg', rig.slug, Buffer.alloc(50_000))
    expect((await rig.fh(['download', '-o', 'a.jpg', rig.slug])).code).toBe(0)
    expect((await readFile(join(rig.folder, 'a.jpg'))).equals(photo)).toBe(true)
  })

  test('download -o - fails if the file is shorter than announced', async () => {
    const rig = await rigWithSite([(_, response) => response.end(photo.subarray(0, 40_000))])
    const { code, stderr } = await rig.fh(['download', '-o', '-', rig.slug])
    expect([code, stderr]).toMatchObject([1, expect.stringMatching(/announced 85049 bytes, but sent 40000/)])
  })

  test('download of twenty files at a time prints no warning', async () => {
    const { fh, emulator, folder } = await emulatedRig()
    emulator.control.accounts.addUploads(emulator.control.accounts.list()[0]?.id ?? 0, { count: 25, size: 2_000 })
    const slugs = (await fh(['list', '-q'])).stdout.split('\n').flatMap((line) => line.split('\t')[0] || [])
    const { code, stderr } = await fh(['download', '-j', '20', '-O', 'out', '--json', ...slugs])
    expect([code, stderr, (await readdir(join(folder, 'out'))).length]).toEqual([0, '', 25])
  })

  test('download does not resume the part of another upload', async () => {
    const rig = await rigWithSite([serve(0)])
    await leavePart(rig, 'a.jpg', 'another', Buffer.alloc(50_000))
    expect((await rig.fh(['download', '-o', 'a.jpg', rig.slug])).code).toBe(0)
    expect(rig.files()[0]?.headers.range).toBeUndefined()
  })

  test('download resumes after a broken connection, and says so', async () => {
    const isRead = (): Promise<boolean> => hasPart(rig, 30_000)
    const rig = await rigWithSite([serve(0, { to: 30_000, isRead }), serve(30_000)])
    const { code, stderr } = await rig.fh(['download', '-o', 'a.jpg', rig.slug])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Trying again in .*the connection broke/)])
    expect(rig.files()[1]?.headers.range).toBe('bytes=30000-')
    expect((await readFile(join(rig.folder, 'a.jpg'))).equals(photo)).toBe(true)
  })

  test('download keeps the part if the connection stays broken', async () => {
    const isRead = (): Promise<boolean> => hasPart(rig, 30_000)
    const rig = await rigWithSite([serve(0, { to: 30_000, isRead })])
    const { code, stderr } = await rig.fh(['download', '--retries', '0', '-o', 'a.jpg', rig.slug])
    expect([code, stderr]).toMatchObject([5, expect.stringContaining('the connection broke')])
    expect((await stat(join(rig.folder, 'a.jpg.part'))).size).toBe(30_000)
  })

  test('download fails if the file has another size than announced', async () => {
    const rig = await rigWithSite([serve(0)], { size: 17 })
    const { code, stderr } = await rig.fh(['download', rig.slug])
    expect([code, stderr]).toMatchObject([1, expect.stringContaining('announced 17 bytes, but sent 85049')])
    expect((await readdir(rig.folder)).filter((name) => name.endsWith('.jpg'))).toEqual([])
  })

  test('download follows redirects, but neither in circles nor to other schemes', async () => {
    const redirect = (location: string): Step => answer(302, {}, { Location: location })
    const good = await rigWithSite([redirect('/elsewhere'), serve(0)])
    expect((await good.fh(['download', good.slug])).code).toBe(0)
    expect(good.files().map(({ url }) => url)).toEqual([`/i/${good.slug}.jpg`, '/elsewhere'])
    const circle = await rigWithSite([redirect('/again')])
    expect((await circle.fh(['download', circle.slug])).stderr).toMatch(/redirected more than 5 times/)
    const file = await rigWithSite([redirect('file:///etc/passwd')])
    expect((await file.fh(['download', file.slug])).stderr).toMatch(/redirected to file:.*no file is fetched from/)
  })

  test.each([
    [404, 6],
    [403, 7],
    [500, 1],
  ])('download of a file answered with %d ends with %d', async (status, code) => {
    const rig = await rigWithSite([answer(status, 'No.')])
    expect((await rig.fh(['download', '--retries', '0', rig.slug])).code).toBe(code)
  })

  test.each([
    ['a path', '../../evil', /^_____evil|^_\._?/],
    ['a hidden file', '.bashrc', /^_bashrc\.jpg$/],
    ['a flag', '-rf', /^_rf\.jpg$/],
    ['a device', 'con', /^_con\.jpg$/],
  ])('download never uses %s from the service as a file name', async (_, slug, name) => {
    const rig = await rigWithSite([serve(0)], { slug })
    const { code, stdout } = await rig.fh(['download', rig.slug])
    expect(code).toBe(0)
    expect(stdout.trim()).toMatch(name)
    expect(await readdir(rig.folder)).toEqual([stdout.trim()])
  })

  test.each([
    ['a second name of another file', (precious: string, part: string) => link(precious, part), 'a hard link'],
    ['a link', symlink, 'it is not a file'],
    ['a folder', (_: string, part: string) => mkdir(part), 'it is not a file'],
    ['a pipe', (_: string, part: string) => promisify(execFile)('mkfifo', [part]), 'it is not a file'],
  ])('download refuses %s in place of its part, and says what to remove', async (_, place, why) => {
    const rig = await rigWithSite([serve(0)])
    const precious = join(rig.home, 'precious')
    await writeFile(precious, 'mine')
    await place(precious, join(rig.folder, 'a.jpg.part'))
    const { code, stderr } = await rig.fh(['download', '-o', 'a.jpg', rig.slug])
    expect([code, String(await readFile(precious))]).toEqual([1, 'mine'])
    expect(stderr).toMatch(new RegExp(`a\\.jpg\\.part cannot be used: .*${why}\\n {2}Remove it`))
  })

  test.each([
    ['a link', symlink],
    ['a second name', link],
    ['a pipe', (_: string, note: string) => promisify(execFile)('mkfifo', [note])],
  ])('download does not follow %s in place of its note', async (_, place) => {
    const rig = await rigWithSite([serve(0)])
    const precious = join(rig.home, 'precious')
    await writeFile(precious, JSON.stringify({ slug: rig.slug, validator: tag }))
    await writeFile(join(rig.folder, 'a.jpg.part'), photo.subarray(0, 50_000))
    await place(precious, join(rig.folder, 'a.jpg.part.json'))
    expect((await rig.fh(['download', '-o', 'a.jpg', rig.slug])).code).toBe(0)
    expect(rig.files()[0]?.headers.range).toBeUndefined()
    expect(String(await readFile(precious))).toBe(JSON.stringify({ slug: rig.slug, validator: tag }))
    expect((await readFile(join(rig.folder, 'a.jpg'))).equals(photo)).toBe(true)
    expect(await readdir(rig.folder)).toEqual(['a.jpg'])
  })

  test('download does not resume a part that belongs to another user', async (context) => {
    if (process.geteuid?.() !== 0) context.skip('only the superuser can give a file away')
    const rig = await rigWithSite([serve(50_000)])
    await leavePart(rig, 'a.jpg', rig.slug, photo.subarray(0, 50_000))
    await chown(join(rig.folder, 'a.jpg.part'), 65_534, 65_534)
    const { code, stderr } = await rig.fh(['download', '-o', 'a.jpg', rig.slug])
    expect([code, stderr]).toMatchObject([1, expect.stringContaining('it belongs to another user')])
  })

  test('download --force replaces only files, and a link instead of its target', async () => {
    const rig = await rigWithSite([serve(0)])
    await promisify(execFile)('mkfifo', [join(rig.folder, 'pipe')])
    const refused = await rig.fh(['download', '--force', '-o', 'pipe', rig.slug])
    expect([refused.code, refused.stderr]).toMatchObject([
      1,
      expect.stringContaining('pipe cannot be used: it is not a'),
    ])
    expect((await lstat(join(rig.folder, 'pipe'))).isFIFO()).toBe(true)
    const second = await rigWithSite([serve(0)])
    await writeFile(join(second.home, 'precious'), 'mine')
    await symlink(join(second.home, 'precious'), join(second.folder, 'a.jpg'))
    expect((await second.fh(['download', '--force', '-o', 'a.jpg', second.slug])).code).toBe(0)
    expect(String(await readFile(join(second.home, 'precious')))).toBe('mine')
    expect((await lstat(join(second.folder, 'a.jpg'))).isFile()).toBe(true)
  })

  test('download to the name of a broken link fails before the first byte', async () => {
    const rig = await rigWithSite([serve(0)])
    await symlink('nowhere', join(rig.folder, 'a.jpg'))
    expect((await rig.fh(['download', '-o', 'a.jpg', rig.slug])).stderr).toMatch(/a\.jpg exists already/)
    expect(rig.files()).toEqual([])
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
    expect(await fh(['download', '--from-stdin'])).toMatchObject({ code: 0, stderr: 'Nothing to download\n' })
  })

  test.each([
    ['one name for several', ['-o', 'a.jpg', 'one', 'two'], /several uploads\n {2}Use -O/],
    ['a folder as the file', ['-o', 'there', 'one'], /there is a folder\n {2}Use -O there/],
    ['a file and JSON on standard output', ['-o', '-', '--json', 'one'], /cannot carry both the file and JSON/],
    ['a file and a folder', ['-o', 'a', '-O', 'b', 'one'], /cannot be used with/],
  ])('download with %s ends with 2', async (_, args, message) => {
    const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    await mkdir(join(rig.folder, 'there'))
    expect(await rig.fh(['download', ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })

  test.skipIf(process.platform !== 'linux').each([
    ['where there can be none', '/proc/nowhere/x', 'there is no such file or folder'],
    ['below a file', '/dev/null/x', 'part of its path is no folder'],
    ['in the place of a file', '/dev/null', 'something else has that name'],
  ])('download to a folder %s says why, and ends', async (_, folder, reason) => {
    const { fh } = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    const { code, stderr } = await fh(['download', 'one', '-O', folder])
    expect(code).toBe(1)
    expect(stderr).toBe(`fh: Cannot create the folder ${folder}: ${reason}\n  Choose another folder with -O\n`)
  })

  test('download creates the folder for its files, and its parents', async () => {
    const { fh, slug } = await rigWithPhoto()
    expect((await fh(['download', slug, '-O', 'a/b/c'])).stdout).toBe('a/b/c/photo.jpg\n')
    expect((await fh(['download', slug, '-O', './a/b/'])).code).toBe(0)
  })

  test('download to a missing folder names the folder', async () => {
    const { fh, slug } = await rigWithPhoto()
    const { code, stderr } = await fh(['download', slug, '-o', 'nowhere/a.jpg'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('the folder nowhere does not exist\n')])
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
})
