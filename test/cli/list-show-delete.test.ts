import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { stillTime } from '../helpers/preload.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { openTerminal, runOnTerminal, terminalTest } from '../helpers/terminal.ts'

/** A rig whose account has uploads; their records, newest first. Time stands still, so that every age is `just now`. */
async function rigWithUploads(...names: readonly string[]) {
  const rig = await emulatedRig({ clock: 'virtual', env: stillTime })
  const { stdout } = await rig.fh(['upload', '-j', '1', '--jsonl', ...names.map(mediaPath)])
  const uploads = jsonLines(stdout).map(({ upload }) => upload as typeof uploadObject)
  const { accounts, requests } = rig.emulator.control
  return {
    ...rig,
    uploads: uploads.reverse(),
    slug: uploads[0]?.slug ?? '',
    add: (these: Parameters<typeof accounts.addUploads>[1]) => accounts.addUploads(1, these),
    deleted: () =>
      requests.list({ method: 'DELETE' }).requests.map(({ endpoint }) => endpoint.replace('/api/uploads/', '')),
  }
}

/** A page of a list, with so many of its uploads. */
function page(current: number, last: number, count: number, total = 120) {
  const data = Array.from({ length: count }, (_, index) => ({ ...uploadObject, slug: `slug${current}-${index}` }))
  return answer(200, { current_page: current, data, last_page: last, per_page: 50, total })
}

/** A rig whose service answers so. */
async function rigWithPages(...steps: readonly Step[]) {
  const server = await scriptedServer(...steps)
  return { ...(await createRig({ service: server })), urls: () => server.requests.map(({ url }) => url) }
}

test('with -v each answer is told, with what is left of the quota', async () => {
  const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '42', 'X-RateLimit-Cost': '1' }
  const rig = await createRig({ service: await scriptedServer(answer(200, { upload: uploadObject }, headers)) })
  const { stderr } = await rig.fh(['show', uploadObject.slug, '-v'])
  expect(stderr).toBe('GET /api/uploads/a1B2c3D4e5: 200, 42 of 60 units left, 1 spent\n')
})

test('list and show print the names that uploads had on this machine where they are asked for', async () => {
  const { fh, home, uploads, emulator } = await rigWithUploads('photo.jpg', 'picture.png')
  const [picture, photo] = uploads.map(({ slug }) => slug)
  const json = async (args: readonly string[], env = {}) => JSON.parse((await fh([...args, '--json'], { env })).stdout)
  expect((await fh(['list', '--fields', 'slug,name'])).stdout).toBe(`${picture}\tpicture.png\n${photo}\tphoto.jpg\n`)
  expect(await json(['show', '--fields', 'name', `${photo}`])).toEqual({ name: 'photo.jpg' })
  await emulator.control.uploads.update(`${photo}`, { title: 'On the beach' })
  expect((await fh(['list', '--fields', 'name'])).stdout).toBe('picture.png\nOn the beach\n')
  const elsewhere = await json(['list', '--fields', 'name'], { FH_STATE_DIR: `${home}/elsewhere` })
  expect(elsewhere).toEqual([{ name: null }, { name: 'On the beach' }])
  const named = [
    { ...uploads[0], name: 'picture.png' },
    { ...uploads[1], title: 'On the beach', name: 'On the beach' },
  ]
  expect(await json(['list'])).toEqual(named)
  expect(jsonLines((await fh(['list', '--jsonl'])).stdout)).toEqual(named)
  expect(await json(['list'], { FH_STATE_DIR: `${home}/elsewhere` })).toEqual([uploads[0], named[1]])
})

terminalTest('list and show name uploads on a terminal', async () => {
  const rig = await rigWithUploads('photo.jpg')
  const { lines } = await runOnTerminal(rig, ['list'])
  expect(lines).toEqual([expect.stringMatching(/^SLUG +NAME +SIZE/), expect.stringMatching(/ {2}photo\.jpg {2}/)])
  const shown = await runOnTerminal(rig, ['show', rig.slug])
  expect(shown.lines).toContainEqual(expect.stringMatching(/^name +photo\.jpg$/))
})

test('list of an empty account prints nothing and succeeds', async () => {
  const { fh } = await emulatedRig()
  expect(await fh(['list'])).toMatchObject({ code: 0, stdout: '', stderr: 'No uploads found\n' })
  expect(await fh(['list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
  expect(await fh(['list', '--all', '--jsonl'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
})

test('list reads one page, says that there are more, and names the last page where it is beyond that', async () => {
  const { fh, urls } = await rigWithPages(page(2, 3, 50), page(99, 3, 0))
  const { stdout, stderr } = await fh(['list', '--page', '2'])
  expect(stdout.split('\n')).toHaveLength(51)
  expect(stderr).toBe('Page 2 of 3, 120 uploads in total; --page 3 or --all shows more\n')
  const beyond = { code: 0, stdout: '', stderr: 'Page 99 of 3, 120 uploads in total; --page 3 or --all shows more\n' }
  expect(await fh(['list', '--page', '99'])).toMatchObject(beyond)
  expect(urls()).toEqual(['/api/uploads?page=2', '/api/uploads?page=99'])
})

test.each([['--all'], ['--all', '--jsonl']])('%s prints a page before the next is read', async (...flags) => {
  const { promise: printed, resolve: release } = Promise.withResolvers<void>()
  const { start } = await rigWithPages(page(1, 2, 50, 70), async (...call) => {
    await printed
    await page(2, 2, 20, 70)(...call)
  })
  const running = start(['list', ...flags], { stdin: '' })
  await running.printed('stdout', /slug1-49\b/)
  release()
  const { code, stdout } = await running.ended
  expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 70])
})

test('list --limit reads as many pages as it needs, and no more', async () => {
  const { fh, urls } = await rigWithPages(page(1, 3, 50), page(2, 3, 50), page(3, 3, 20))
  expect(JSON.parse((await fh(['list', '--limit', '60', '--json'])).stdout)).toHaveLength(60)
  expect(urls()).toHaveLength(2)
})

test('list chooses by all filters together, sorts what it has chosen, and limits it last', async () => {
  const { fh, add } = await rigWithUploads('photo.jpg', 'picture.png', 'animation.gif')
  add({ count: 110, size: 5_000, mime_type: 'video/mp4' })
  const names = async (...flags: readonly string[]) =>
    (await fh(['list', '--fields', 'name', ...flags])).stdout.trimEnd().split('\n')
  expect(await names('--type', 'image', '--sort', 'name')).toEqual(['animation.gif', 'photo.jpg', 'picture.png'])
  expect(await names('--name', 'p*', '--since', '1d', '--sort', 'size', '--limit', '1')).toEqual(['photo.jpg'])
  expect(await names('--larger', '5000', '--reverse')).toEqual(['photo.jpg', 'picture.png', 'animation.gif'])
  expect(await fh(['list', '--smaller', '10'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'No uploads found\n',
  })
  expect((await fh(['list', '--name', 'zzz*'])).stderr).toMatch(/^No uploads found by that name: fh knows titles, /)
  expect(await fh(['list', '--smaller', '10', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
})

test('list --json prints the uploads it has read before a failure', async () => {
  const { fh } = await rigWithPages(page(1, 2, 50), answer(403, { error: 'No.' }))
  const { code, stdout, stderr } = await fh(['list', '--all', '--json'])
  expect([code, JSON.parse(stdout).length]).toEqual([7, 50])
  expect(JSON.parse(stderr)).toMatchObject({ code: 'access-denied', message: 'No.' })
})

test('list ends with 0 and without a message when its reader closes the pipe', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  let asked = 0
  const { start, urls } = await rigWithPages(async (request, response) => {
    asked += 1
    if (asked > 1) await left
    await page(asked, 400, 50)(request, response)
  })
  const running = start(['list', '--all'], { stdin: '' })
  await running.printed('stdout', /\n/)
  running.child.stdout?.once('close', leave).destroy()
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  expect(urls().length).toBeLessThan(400)
})

test('show finds an upload by its slug and by each of its URLs, and prints names and values', async () => {
  const { fh, uploads } = await rigWithUploads('photo.jpg')
  const { slug, url, direct_url } = uploads[0] ?? uploadObject
  for (const name of [slug, url, direct_url, url.replace('/i/', '/t/'), url.replace('/i/', '/e/')]) {
    expect((await fh(['show', name, '--fields', 'slug'])).stdout).toBe(`slug\t${slug}\n`)
  }
  expect((await fh(['show', slug])).stdout).toMatch(/^slug\t.*\nmime_type\timage\/jpeg\nsize\t85049\n/s)
})

test('delete --yes deletes by slug and by URL, once where both are given', async () => {
  const { fh, uploads, deleted } = await rigWithUploads('photo.jpg', 'picture.png')
  const [one = uploadObject, two = uploadObject] = uploads
  const { code, stdout, stderr } = await fh(['delete', '--yes', one.slug, two.url, two.slug])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(/^deleted .*\ndeleted .*\n2 deleted\n$/)
  expect(deleted()).toEqual([one.slug, two.slug])
})

test('show takes several uploads, in the words or the lines of list -q too, and shows each once', async () => {
  const { fh, uploads, emulator } = await rigWithUploads('photo.jpg', 'picture.png')
  const listed = (await fh(['list', '-q'])).stdout.trim()
  const asked = () => emulator.control.requests.list().requests.length
  for (const args of [listed.split(/\s+/), listed.split('\n')]) {
    const { code, stdout } = await fh(['show', '--json', ...args])
    expect([code, JSON.parse(stdout)]).toEqual([0, uploads])
  }
  const slugs = uploads.map(({ slug }) => slug)
  const text = await fh(['show', ...slugs, '--fields', 'slug'])
  expect(text).toMatchObject({ code: 0, stdout: `slug\t${slugs[0]}\n\nslug\t${slugs[1]}\n`, stderr: '' })
  expect(JSON.parse((await fh(['show', '--json', `${slugs[0]}`])).stdout)).toEqual(uploads[0])
  const before = asked()
  const some = await fh(['show', '--json', 'nothing123', ...slugs])
  expect([some.code, JSON.parse(some.stdout), jsonLines(some.stderr)]).toMatchObject([3, uploads, [{ exit_code: 6 }]])
  expect(asked() - before).toBe(3)
  const none = await fh(['show', 'nothing123', 'nothing456'])
  expect([none.code, none.stdout, none.stderr.match(/no upload has the slug/g)?.length]).toEqual([6, '', 2])
  emulator.control.faults.add({ match: { method: 'GET' }, action: { type: 'status', status: 403 } })
  const denied = asked()
  expect([(await fh(['show', ...slugs])).code, asked() - denied]).toEqual([7, 1])
})

test('delete -n deletes nothing and shows the uploads', async () => {
  const { fh, slug, deleted } = await rigWithUploads('photo.jpg')
  const stderr = `would delete ${slug} (photo.jpg, image/jpeg, 83.1 KB, just now)\n`
  expect(await fh(['delete', '-n', slug])).toMatchObject({ code: 0, stderr })
  const records = JSON.parse((await fh(['delete', '-n', slug, '--json'])).stdout)
  expect(records).toMatchObject([{ slug, status: 'skipped', upload: { slug }, error: null }])
  expect(deleted()).toEqual([])
  expect((await fh(['delete', '--yes', '--type', 'image'])).stderr).toBe(`deleted ${slug} (photo.jpg)\n`)
})

test('delete --from-stdin reads slugs, also from the output of fh list', async () => {
  const { fh, uploads } = await rigWithUploads('photo.jpg', 'picture.png', 'animation.gif')
  const [first, second, third] = uploads
  const stdin = `${first?.slug}\t${first?.url}\r\n\r\n${second?.direct_url}\n`
  const { code, stderr } = await fh(['delete', '--yes', '--from-stdin', third?.slug ?? ''], { stdin })
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(deleted \S+\n){3}3 deleted\n$/)])
  const none = await fh(['delete', '--yes', '--from-stdin'])
  expect(none).toMatchObject({ code: 0, stderr: 'No uploads found\n' })
})

test('a line whose first column is empty names no upload, whatever stands in the others', async () => {
  const { fh, slug, uploads, deleted, emulator } = await rigWithUploads('photo.jpg', 'picture.png')
  await emulator.control.uploads.update(slug, { title: uploads[1]?.slug ?? '' })
  const { stdout: stdin } = await fh(['list', '--fields', 'title,slug'])
  expect(stdin).toBe(`${uploads[1]?.slug}\t${slug}\n\t${uploads[1]?.slug}\n`)
  const untitled = stdin.slice(stdin.indexOf('\n') + 1)
  for (const words of [['delete', '--yes'], ['download']]) {
    expect(await fh([...words, '--from-stdin'], { stdin: untitled })).toMatchObject({ code: 0, stdout: '' })
    expect((await fh([...words, untitled])).code).toBe(2)
  }
  expect((await fh(['show', untitled])).code).toBe(2)
  expect(deleted()).toEqual([])
})

test.skipIf(process.platform !== 'linux').each([
  [['a1B2c3D4e5'], 'there is no terminal'],
  [['--from-stdin'], 'there is no terminal'],
  [['--from-stdin', '--no-input'], '--no-input is given, or FH_NO_INPUT or CI is set'],
])('delete %j without a terminal ends with 4 unless --yes is given, and sends nothing', async (args, why) => {
  const { program, urls } = await rigWithPages()
  const ended = await program(['delete', ...args], { stdin: 'a1B2c3D4e5\n', through: ['setsid', '-w'] })
  const stderr = `fh: Cannot ask whether to delete: ${why}\n  Add --yes to delete without being asked\n`
  expect(ended).toMatchObject({ code: 4, stderr })
  expect(urls()).toEqual([])
})

test('delete deletes what the filters choose, as -n has shown, and nothing else', async () => {
  const { fh, uploads, emulator, add } = await rigWithUploads('photo.jpg', 'picture.png')
  add({ count: 60, size: 5_000, mime_type: 'video/mp4', created_at: '2020-01-05T10:00:00Z' })
  const filters = ['--older-than', '30d', '--type', 'video', '--smaller', '5001']
  const dry = await fh(['delete', '-n', ...filters])
  expect(dry.stderr).toMatch(/^(would delete \w+ \(video\/mp4, 4\.9 KB, 2020-01-05 10:00\)\n){60}60 to delete\n$/)
  expect(await fh(['delete', ...filters])).toMatchObject({ code: 4, stderr: expect.stringContaining('Add --yes') })
  emulator.control.requests.clear()
  const { code, stderr } = await fh(['delete', '--yes', ...filters])
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(deleted \w+\n){60}60 deleted\n$/)])
  expect(emulator.control.requests.list({ method: 'GET' }).requests).toHaveLength(2)
  const left = jsonLines((await fh(['list', '--jsonl'])).stdout)
  expect(left.map(({ slug }) => slug)).toEqual(uploads.map(({ slug }) => slug))
  expect(await fh(['delete', ...filters, '--yes'])).toMatchObject({ code: 0, stderr: 'No uploads found\n' })
})

terminalTest('delete asks about what filters choose, and deletes nothing that comes later', async () => {
  const rig = await rigWithUploads('photo.jpg')
  const videos = () => rig.add({ count: 25, mime_type: 'video/mp4' })
  const { slugs: shown = [] } = videos()
  const terminal = openTerminal(rig, ['delete', '--type', 'video'], { rows: 40 })
  const text = await terminal.shows(/\[y\/N\]/)
  expect(text.split('\n')).toHaveLength(22)
  expect(text).toMatch(
    /\n {2}and 5 more \(add -n to this command to list them all\)\nDelete 25 uploads \(.*\) for good\? \[y\/N\]$/,
  )
  videos()
  terminal.type('n\x7fy\r')
  expect((await terminal.ended).lines.at(-1)).toBe('25 deleted')
  // What is typed is edited without all that being shown once more.
  expect(terminal.raw().match(/and 5 more/g)).toHaveLength(1)
  expect([...rig.deleted()].sort()).toEqual([...shown].sort())
})
