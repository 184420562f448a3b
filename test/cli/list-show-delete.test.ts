import { describe, expect, test } from 'vitest'
import { deferred } from '../helpers/deferred.ts'
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
  return { ...rig, uploads: uploads.reverse() }
}

function slugs(count: number, from = 0) {
  return Array.from({ length: count }, (_, index) => ({ ...uploadObject, slug: `slug${from + index}` }))
}

function page(current: number, last: number, data: readonly unknown[], total = 120) {
  return answer(200, {
    current_page: current,
    data,
    first_page_url: 'x',
    from: 1,
    last_page: last,
    last_page_url: 'x',
    links: [],
    next_page_url: null,
    path: 'x',
    per_page: 50,
    prev_page_url: null,
    to: 1,
    total,
  })
}

describe('list', () => {
  test('list prints slug and URL, newest first', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg', 'picture.png')
    const { code, stdout, stderr } = await fh(['list'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(uploads.map(({ slug, url }) => `${slug}\t${url}\n`).join(''))
  })

  test('list --json prints the uploads as the service sends them', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg', 'picture.png')
    const listed = JSON.parse((await fh(['list', '--json', '--fields', 'slug,size,mime_type'])).stdout)
    expect(listed).toEqual(uploads.map(({ slug, size, mime_type }) => ({ slug, size, mime_type })))
    expect(jsonLines((await fh(['list', '--jsonl'])).stdout)).toMatchObject(uploads.map(({ slug }) => ({ slug })))
  })

  test('list and show print the names that uploads had on this machine where they are asked for', async () => {
    const { fh, home, uploads, emulator } = await rigWithUploads('photo.jpg', 'picture.png')
    const [picture, photo] = uploads.map(({ slug }) => slug)
    expect((await fh(['list', '--fields', 'slug,name'])).stdout).toBe(`${picture}\tpicture.png\n${photo}\tphoto.jpg\n`)
    expect(JSON.parse((await fh(['show', '--json', '--fields', 'name', `${photo}`])).stdout)).toEqual({
      name: 'photo.jpg',
    })
    await emulator.control.uploads.update(`${photo}`, { title: 'On the beach' })
    const elsewhere = { env: { FH_STATE_DIR: `${home}/elsewhere` } }
    expect((await fh(['list', '--fields', 'name'])).stdout).toBe('picture.png\nOn the beach\n')
    expect(JSON.parse((await fh(['list', '--json', '--fields', 'name'], elsewhere)).stdout)).toEqual([
      { name: null },
      { name: 'On the beach' },
    ])
    expect(JSON.parse((await fh(['list', '--json'])).stdout)).toEqual([
      uploads[0],
      { ...uploads[1], title: 'On the beach' },
    ])
  })

  terminalTest('list and show name uploads on a terminal', async () => {
    const rig = await rigWithUploads('photo.jpg')
    const { lines } = await runOnTerminal(rig, ['list'])
    expect(lines).toEqual([expect.stringMatching(/^SLUG +NAME +SIZE/), expect.stringMatching(/ {2}photo\.jpg {2}/)])
    const shown = await runOnTerminal(rig, ['show', rig.uploads[0]?.slug ?? ''])
    expect(shown.lines).toContainEqual(expect.stringMatching(/^name +photo\.jpg$/))
  })

  test('list of an empty account prints nothing and succeeds', async () => {
    const { fh } = await emulatedRig()
    expect(await fh(['list'])).toMatchObject({ code: 0, stdout: '', stderr: 'No uploads\n' })
    expect(await fh(['list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
    expect(await fh(['list', '--all', '--jsonl'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('list reads one page, and says that there are more', async () => {
    const server = await scriptedServer(page(2, 3, slugs(50)))
    const { fh } = await createRig({ service: server })
    const { stdout, stderr } = await fh(['list', '--page', '2'])
    expect(stdout.split('\n')).toHaveLength(51)
    expect(stderr).toBe('Page 2 of 3, 120 uploads in total; --page 3 or --all shows more\n')
    expect(server.requests.map(({ url }) => url)).toEqual(['/api/uploads?page=2'])
  })

  test('list of a page beyond the last names the last page', async () => {
    const server = await scriptedServer(page(99, 3, []))
    const { fh } = await createRig({ service: server })
    const stderr = 'Page 99 is beyond the last page, 3\n'
    expect(await fh(['list', '--page', '99'])).toMatchObject({ code: 0, stdout: '', stderr })
  })

  test('list --all reads every page', async () => {
    const server = await scriptedServer(page(1, 2, slugs(50)), page(2, 2, slugs(20, 50)))
    const { fh } = await createRig({ service: server })
    const { stdout, stderr } = await fh(['list', '--all', '--json'])
    expect(JSON.parse(stdout)).toHaveLength(70)
    expect(stderr).toBe('')
    expect(server.requests).toHaveLength(2)
  })

  test.each([['--all'], ['--all', '--jsonl']])('%s prints a page before the next is read', async (...flags) => {
    const { promise: printed, resolve: release } = deferred()
    const second: Step = async (request, response) => {
      await printed
      await page(2, 2, slugs(20, 50))(request, response)
    }
    const server = await scriptedServer(page(1, 2, slugs(50)), second)
    const rig = await createRig({ service: server })
    const running = rig.start(['list', ...flags], { stdin: '' })
    await running.printed('stdout', /slug49\b/)
    release()
    const { code, stdout } = await running.ended
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 70])
  })

  test('list --all prints each upload once even if one is added between two pages', async () => {
    const { emulator, baseUrl } = await emulatedRig()
    const account = emulator.control.accounts.list()[0]?.id ?? 0
    emulator.control.accounts.addUploads(account, { count: 120 })
    let asked = 0
    const server = await scriptedServer(async ({ url = '' }, response) => {
      asked += 1
      if (asked > 1) emulator.control.accounts.addUploads(account, { count: 1 })
      const answered = await fetch(`${baseUrl}${url}`, { headers: { 'X-Api-Key': emulator.apiKey } })
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(await answered.text())
    })
    const { fh } = await createRig({ service: server })
    const { stdout } = await fh(['list', '--all', '--jsonl', '--fields', 'slug'])
    const listed = jsonLines(stdout).map(({ slug }) => slug)
    expect([listed.length, new Set(listed).size]).toEqual([120, 120])
  })

  test('list --limit reads as many pages as it needs, and no more', async () => {
    const server = await scriptedServer(page(1, 3, slugs(50)), page(2, 3, slugs(50, 50)), page(3, 3, slugs(20, 100)))
    const { fh } = await createRig({ service: server })
    expect(JSON.parse((await fh(['list', '--limit', '60', '--json'])).stdout)).toHaveLength(60)
    expect(server.requests).toHaveLength(2)
  })

  test('list chooses by all filters together, sorts what it has chosen, and limits it last', async () => {
    const { fh, emulator } = await rigWithUploads('photo.jpg', 'picture.png', 'animation.gif')
    const account = emulator.control.accounts.list()[0]?.id ?? 0
    emulator.control.accounts.addUploads(account, { count: 110, size: 5_000, mime_type: 'video/mp4' })
    const names = async (...flags: readonly string[]) =>
      (await fh(['list', '--fields', 'name', ...flags])).stdout.trimEnd().split('\n')
    expect(await names('--type', 'image', '--sort', 'name')).toEqual(['animation.gif', 'photo.jpg', 'picture.png'])
    expect(await names('--name', 'p*', '--since', '1d', '--sort', 'size', '--limit', '1')).toEqual(['photo.jpg'])
    expect(await names('--larger', '5000', '--reverse')).toEqual(['photo.jpg', 'picture.png', 'animation.gif'])
    const none = { code: 0, stderr: 'No uploads match\n' }
    expect(await fh(['list', '--smaller', '10'])).toMatchObject({ ...none, stdout: '' })
    expect(await fh(['list', '--smaller', '10', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
  })

  test.each([
    [['--since', 'yesterday'], '--since: "yesterday" is neither'],
    [['--page', '2', '--type', 'image'], '--page cannot be used with filters or another order'],
    [['--page', '2', '--reverse'], '--page cannot be used with filters or another order'],
  ])('list %j ends with 2 and sends nothing', async (flags, message) => {
    const server = await scriptedServer()
    const { fh } = await createRig({ service: server })
    expect(await fh(['list', ...flags])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
    expect(server.requests).toEqual([])
  })

  test('list --json prints the uploads it has read before a failure', async () => {
    const server = await scriptedServer(page(1, 2, slugs(50)), answer(403, { error: 'No.' }))
    const { fh } = await createRig({ service: server })
    const { code, stdout, stderr } = await fh(['list', '--all', '--json'])
    expect(code).toBe(7)
    expect(JSON.parse(stdout)).toHaveLength(50)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'access-denied', message: 'No.' })
  })

  test('list ends with 0 and without a message when its reader closes the pipe', async () => {
    const { promise: left, resolve: leave } = deferred()
    const second: Step = async (request, response) => {
      await left
      await page(2, 400, slugs(50, 50))(request, response)
    }
    const pages = Array.from({ length: 398 }, (_, index) => page(index + 3, 400, slugs(50, (index + 2) * 50)))
    const server = await scriptedServer(page(1, 400, slugs(50)), second, ...pages)
    const rig = await createRig({ service: server })
    const running = rig.start(['list', '--all'], { stdin: '' })
    await running.printed('stdout', /\n/)
    running.child.stdout?.once('close', leave).destroy()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
    expect(server.requests.length).toBeLessThan(400)
  })
})

describe('show', () => {
  test('show finds an upload by its slug and by each of its URLs', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg')
    const [upload = uploadObject] = uploads
    const { slug, url, direct_url } = upload
    for (const name of [slug, url, direct_url, url.replace('/i/', '/t/'), url.replace('/i/', '/e/')]) {
      const { code, stdout } = await fh(['show', name, '--json'])
      expect([code, JSON.parse(stdout).slug]).toEqual([0, slug])
    }
  })

  test('show prints names and values', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg')
    const { stdout } = await fh(['show', uploads[0]?.slug ?? ''])
    expect(stdout).toMatch(/^slug\t/)
    expect(stdout).toContain('\nmime_type\timage/jpeg\nsize\t85049\n')
    expect((await fh(['show', uploads[0]?.slug ?? '', '--fields', 'size'])).stdout).toBe('size\t85049\n')
  })

  test('show of a missing upload ends with 6', async () => {
    const { fh } = await emulatedRig()
    const { code, stdout, stderr } = await fh(['show', 'nothing123', '--json'])
    expect([code, stdout]).toEqual([6, 'null\n'])
    expect(JSON.parse(stderr)).toMatchObject({ code: 'not-found', http_status: 404, request: { method: 'GET' } })
  })

  test('show of a URL that is not an upload’s ends with 2', async () => {
    const { fh } = await emulatedRig()
    const { code, stderr } = await fh(['show', 'https://files.example/about'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/neither a slug nor the address of an uploaded file/)])
  })
})

describe('delete', () => {
  test('delete --yes deletes by slug and by URL', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg', 'picture.png')
    const { code, stdout, stderr } = await fh(['delete', '--yes', uploads[0]?.slug ?? '', uploads[1]?.url ?? ''])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/^deleted .*\ndeleted .*\n2 deleted\n$/)
    expect((await fh(['list', '--json'])).stdout).toBe('[]\n')
  })

  test('delete without a terminal and without --yes ends with 4 and sends nothing', async () => {
    const { fh, uploads, emulator } = await rigWithUploads('photo.jpg')
    const sent = emulator.control.requests.list().requests.length
    const { code, stderr } = await fh(['delete', uploads[0]?.slug ?? ''])
    expect([code, stderr]).toEqual([4, expect.stringMatching(/Cannot ask whether to delete.*\n {2}Add --yes/)])
    expect(emulator.control.requests.list().requests).toHaveLength(sent)
  })

  test('delete -n deletes nothing and shows the uploads', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg')
    const slug = uploads[0]?.slug ?? ''
    const dry = await fh(['delete', '-n', slug])
    expect([dry.code, dry.stderr]).toEqual([0, `would delete ${slug} (photo.jpg, image/jpeg, 83.1 KB, just now)\n`])
    expect(JSON.parse((await fh(['delete', '-n', slug, '--json'])).stdout)).toMatchObject([
      { slug, status: 'skipped', upload: { slug }, error: null },
    ])
    expect((await fh(['show', slug])).code).toBe(0)
  })

  test('delete of a missing upload ends with 6, or with 3 if others were deleted', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg')
    expect((await fh(['delete', '--yes', 'nothing123'])).code).toBe(6)
    const { code, stdout } = await fh(['delete', '--yes', '--json', 'nothing123', uploads[0]?.slug ?? ''])
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject([
      { slug: 'nothing123', status: 'failed', error: { code: 'not-found' } },
      { status: 'deleted', upload: null, error: null },
    ])
  })

  test('delete --from-stdin reads slugs, also from the output of fh list', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg', 'picture.png', 'animation.gif')
    const [first, second, third] = uploads
    const stdin = `${first?.slug}\t${first?.url}\r\n\r\n${second?.direct_url}\n`
    const { code, stderr } = await fh(['delete', '--yes', '--from-stdin', third?.slug ?? ''], { stdin })
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(deleted \S+\n){3}3 deleted\n$/)])
    const none = await fh(['delete', '--yes', '--from-stdin'])
    expect(none).toMatchObject({ code: 0, stderr: 'Nothing to delete\n' })
    expect((await fh(['list', '--json'])).stdout).toBe('[]\n')
  })

  test.skipIf(process.platform !== 'linux').each([
    ['without a terminal', [], 'standard input is the list, and there is no terminal'],
    ['with --no-input', ['--no-input'], '--no-input is given'],
  ])('delete --from-stdin %s ends with 4 unless --yes is given, and sends nothing', async (_, flags, why) => {
    const server = await scriptedServer()
    const { fh } = await createRig({ service: server })
    const apart = { stdin: 'a1B2c3D4e5\n', through: ['setsid', '-w'] }
    const { code, stderr } = await fh(['delete', '--from-stdin', ...flags], apart)
    expect([code, stderr]).toEqual([
      4,
      `fh: Cannot ask whether to delete: ${why}\n  Add --yes to delete without being asked\n`,
    ])
    expect(server.requests).toEqual([])
  })

  test('delete deletes what the filters choose, as -n has shown, and nothing else', async () => {
    const { fh, uploads, emulator } = await rigWithUploads('photo.jpg', 'picture.png')
    const account = emulator.control.accounts.list()[0]?.id ?? 0
    const created_at = '2020-01-05T10:00:00Z'
    emulator.control.accounts.addUploads(account, { count: 60, size: 5_000, mime_type: 'video/mp4', created_at })
    const filters = ['--older-than', '30d', '--type', 'video', '--smaller', '5001']
    const dry = await fh(['delete', '-n', ...filters])
    expect(dry.stderr).toMatch(
      /^(would delete \w+ \(video\/mp4, 4\.9 KB, 2020-01-05 10:00\)\n){60}60 uploads, 293 KB, 180 units\n60 to delete\n$/,
    )
    expect(await fh(['delete', ...filters])).toMatchObject({ code: 4, stderr: expect.stringContaining('Add --yes') })
    emulator.control.requests.clear()
    const { code, stderr } = await fh(['delete', '--yes', ...filters])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(deleted \w+\n){60}60 deleted\n$/)])
    expect(emulator.control.requests.list({ method: 'GET' }).requests).toHaveLength(2)
    const left = jsonLines((await fh(['list', '--jsonl'])).stdout)
    expect(left.map(({ slug }) => slug)).toEqual(uploads.map(({ slug }) => slug))
    expect(await fh(['delete', ...filters, '--yes'])).toMatchObject({ code: 0, stderr: 'No uploads match\n' })
  })

  test.each([
    [['delete', '--yes', 'a1B2c3D4e5', '--type', 'image'], 'Slugs and filters cannot be used together'],
    [['delete', '--yes', '--from-stdin', '--older-than', '1d'], 'Slugs and filters cannot be used together'],
    [['delete', '--yes', '--larger', '10XB'], '--larger: "10XB" is not a size'],
    [['download', '--all', 'a1B2c3D4e5'], 'Slugs and --all cannot be used together'],
    [['download', '--type', 'image', '-o', 'a.jpg'], '-o takes one file, but filters may choose several uploads'],
    [['download'], 'No uploads given'],
  ])('%j ends with 2 and sends nothing', async (args, message) => {
    const server = await scriptedServer()
    const { fh } = await createRig({ service: server })
    expect(await fh(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
    expect(server.requests).toEqual([])
  })

  terminalTest(
    'delete asks about what the filters choose, and deletes no upload that came after the question',
    async () => {
      const rig = await rigWithUploads('photo.jpg')
      const account = rig.emulator.control.accounts.list()[0]?.id ?? 0
      const videos = () => rig.emulator.control.accounts.addUploads(account, { count: 25, mime_type: 'video/mp4' })
      const { slugs: shown = [] } = videos() as { slugs?: readonly string[] }
      const terminal = openTerminal(rig, ['delete', '--type', 'video'], { rows: 40 })
      const text = await terminal.shows(/\[y\/N\]/)
      expect(text.split('\n')).toHaveLength(22)
      expect(text).toMatch(
        /\n {2}and 5 more; fh delete -n shows all\nDelete 25 uploads \([\d.]+ KB\) for good\? \[y\/N\]$/,
      )
      videos()
      terminal.type('y\r')
      expect((await terminal.ended).lines.at(-1)).toBe('25 deleted')
      const deleted = rig.emulator.control.requests.list({ method: 'DELETE' }).requests
      expect(deleted.map(({ endpoint }) => endpoint.slice('/api/uploads/'.length)).sort()).toEqual([...shown].sort())
    },
  )

  test('delete without uploads, or of an invalid slug, ends with 2', async () => {
    const { fh } = await emulatedRig()
    expect(await fh(['delete'])).toMatchObject({ code: 2, stderr: expect.stringContaining('No uploads given') })
    expect((await fh(['delete', '--yes', '--from-stdin'], { stdin: 'aB3\nhttps://h/about\n' })).code).toBe(2)
  })

  test('delete -n looks many uploads up in the list, for a unit per page', async () => {
    const { fh, emulator } = await emulatedRig()
    emulator.control.accounts.addUploads(emulator.control.accounts.list()[0]?.id ?? 0, { count: 120 })
    const slugs = (await fh(['list', '--all', '--jsonl', '--fields', 'slug'])).stdout
    const stdin = jsonLines(slugs)
      .map(({ slug }) => `${slug}\n`)
      .join('')
    emulator.control.requests.clear()
    const { code, stderr } = await fh(['delete', '-n', '--from-stdin'], { stdin })
    expect([code, stderr.match(/^would delete /gm)?.length]).toEqual([0, 120])
    const asked = emulator.control.requests.list().requests.map(({ method, endpoint }) => `${method} ${endpoint}`)
    expect(asked).toEqual(['GET /api/uploads', 'GET /api/uploads', 'GET /api/uploads'])
  })

  terminalTest('delete shows the uploads, after those not found, and asks', async () => {
    const rig = await rigWithUploads('photo.jpg', 'picture.png')
    const slugs = rig.uploads.map(({ slug }) => slug)
    const terminal = openTerminal(rig, ['delete', 'nothing123', ...slugs])
    const text = await terminal.shows(/\[y\/N\]/)
    expect(text).toMatch(
      /^Not found: nothing123\n( {2}\w+ {2}image\/\w+ +[\d.]+ KB +just now +\w+\.\w+\n){2}Delete 2 uploads \(/,
    )
    terminal.type('n\x7fy\r')
    const { code, lines } = await terminal.ended
    // What is typed is edited without all that being shown once more.
    expect(terminal.raw().match(/Not found/g)).toHaveLength(1)
    const failed = expect.stringMatching(/^failed nothing123: not found/)
    expect([code, lines]).toEqual([3, expect.arrayContaining([failed, '2 deleted, 1 failed'])])
    const deleted = rig.emulator.control.requests.list({ method: 'DELETE' }).requests
    expect(deleted.map(({ endpoint }) => endpoint)).toEqual(slugs.map((slug) => `/api/uploads/${slug}`))
  })

  terminalTest('delete without a yes deletes nothing', async () => {
    const rig = await rigWithUploads('photo.jpg')
    const slug = rig.uploads[0]?.slug ?? ''
    const terminal = openTerminal(rig, ['delete', slug])
    await terminal.shows(
      new RegExp(`^Delete ${slug} \\(photo\\.jpg, image/jpeg, 83\\.1 KB, just now\\) for good\\? \\[y/N\\]`),
    )
    terminal.type('\r')
    const { code, lines } = await terminal.ended
    expect([code, lines.at(-1)]).toEqual([1, 'fh: Nothing was deleted'])
    expect((await rig.fh(['show', slug])).code).toBe(0)
  })

  test('delete of a slug given twice deletes once', async () => {
    const { fh, uploads } = await rigWithUploads('photo.jpg')
    const { slug = '', url = '' } = uploads[0] ?? {}
    expect(await fh(['delete', '--yes', slug, url])).toMatchObject({ code: 0, stderr: `deleted ${slug}\n` })
  })
})

test('stats prints the account’s numbers and the remaining quota', async () => {
  const { fh, emulator } = await rigWithUploads('photo.jpg')
  emulator.control.settings.update({ quotas: { burst: 20, minute: 60, hour: 1_000, day: 10_000 } })
  const { code, stdout } = await fh(['stats', '--json'])
  expect(code).toBe(0)
  const { stats, quota } = JSON.parse(stdout)
  expect(stats).toMatchObject({ uploads: 1, albums: 0 })
  expect(quota).toEqual({
    limit: 60,
    remaining: expect.any(Number),
    reset_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    cost: 1,
  })
})
