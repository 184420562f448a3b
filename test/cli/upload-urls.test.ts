import { readdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes } from '../helpers/media.ts'
import { hurried } from '../helpers/preload.ts'
import { jsonLines } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

const reply =
  (status: number, headers = {}, body = '<!DOCTYPE html><html>'): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body)
const begin =
  (size: number, first: Buffer): Answer =>
  (response) =>
    response.writeHead(200, { 'content-length': size }).write(first)

const cat = jpegBytes(300_000)
const onUpload = { method: 'POST', path: '/api/upload' }
const sized: Answer = (response) => response.writeHead(200, { 'content-length': cat.length }).end(cat)

/** A site whose paths are answered so; all others give the cat, with its size. */
async function siteWith(answers: Readonly<Record<string, Answer>> = {}) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    const path = new URL(request.url ?? '', 'http://h').pathname
    const answer = answers[path] ?? sized
    answer(response, request)
  })
  const rig = await emulatedRig()
  return {
    ...rig,
    seen,
    site: `http://127.0.0.1:${await listening(server)}`,
    stored: () => rig.emulator.control.health().uploads,
    recorded: uploadsDb(rig.home).text,
  }
}

test('a URL is uploaded under its name without a header of the key, and its query is in no message and no record', async () => {
  const { fh, site, seen, recorded, write } = await siteWith({
    '/moved.jpg': reply(302, { location: '/cat.jpg?signature=hush' }),
    '/other.jpg': (response) => response.writeHead(200, { 'content-length': 5_000 }).end(jpegBytes(5_000)),
  })
  await write('own.jpg', jpegBytes(10))
  await write('list', `own.jpg\n${site}/other.jpg?token=hush\n`)
  const given = `${site}/moved.jpg?token=hush`
  const args = ['upload', given, given, '--files-from', 'list', '--format', 'markdown']
  const { code, stdout, stderr } = await fh([...args, '--debug'])
  expect([code, stdout.match(/^!\[\S+?\]/gm)]).toEqual([0, ['![moved.jpg]', '![own.jpg]', '![other.jpg]']])
  expect(seen.flatMap(({ headers }) => Object.keys(headers))).not.toContain('authorization')
  expect(seen.flatMap(({ headers }) => Object.keys(headers).filter((name) => /key|cookie/i.test(name)))).toEqual([])
  expect(`${stderr}${stdout}${recorded()}`).not.toContain('hush')
  expect(recorded()).toContain('"name":"moved.jpg"')
  const again = await fh(['upload', given, '--json', '--force', '--name', 'mine.jpg'])
  expect(JSON.parse(again.stdout)).toMatchObject([{ file: given, status: 'uploaded', upload: { size: cat.length } }])
  expect(recorded()).toContain('"name":"mine.jpg"')
})

test('a site that does not name the size has its file copied first, compared, and the copy removed', async () => {
  const { fh, site, emulator, temporary, stored } = await siteWith({
    '/chunks.jpg': (response) => {
      response.write(cat.subarray(0, 9_000))
      response.end(cat.subarray(9_000))
    },
    '/endless.jpg': (response) => {
      const more = () => {
        while (response.write(cat));
      }
      response.on('drain', more)
      more()
    },
  })
  expect((await fh(['upload', `${site}/chunks.jpg`])).code).toBe(0)
  const args = ['upload', `${site}/chunks.jpg`, `${site}/endless.jpg`, '--max-file-size', '2MB', '--json']
  const { stdout } = await fh(args)
  expect(JSON.parse(stdout)).toMatchObject([
    { status: 'skipped', error: null },
    { status: 'failed', error: { code: 'source-too-large' } },
  ])
  expect([stored(), await readdir(temporary)]).toEqual([1, []])
  const sent = emulator.control.requests.list({ method: 'POST' }).requests
  expect(sent.map(({ file }) => file?.size)).toEqual([cat.length])
})

test('a URL is sent as it comes, though its content is known; it is fetched again where its site breaks off', async () => {
  const { fh, site, seen, temporary, stored } = await siteWith({
    '/cut.jpg': (response) => {
      response.writeHead(200, { 'content-length': cat.length })
      if (seen.filter(({ url }) => url === '/cut.jpg').length > 1) response.end(cat)
      else response.write(cat.subarray(0, 200_000), () => response.destroy())
    },
  })
  await fh(['upload', `${site}/cat.jpg`])
  const urls = ['cat.jpg', 'cut.jpg'].map((name) => `${site}/${name}`)
  const { code, stdout } = await fh(['upload', ...urls, '--jsonl', '-j', '1'])
  expect([code, jsonLines(stdout).map(({ status }) => status)]).toEqual([0, ['uploaded', 'uploaded']])
  expect([stored(), await readdir(temporary)]).toEqual([3, []])
})

test('each URL without a file fails by itself, with its reason, before anything is sent of it', async () => {
  const { fh, site, stored } = await siteWith({
    '/401': reply(401),
    '/404': reply(404),
    '/500': reply(500),
    '/topage': reply(301, { location: '/page' }),
    '/page': reply(200),
    '/cut': (response, request) => {
      begin(cat.length, cat.subarray(0, 200_000))(response, request)
      setTimeout(() => response.destroy(), 50)
    },
  })
  const errors = {
    [`${site}/401`]: { exit_code: 2, code: 'source-unreadable', http_status: 401 },
    [`${site}/404`]: { exit_code: 6 },
    [`${site}/500`]: { exit_code: 5 },
    [`${site}/topage`]: { exit_code: 2, message: 'is a web page, not an image or video' },
    [`${site}/cut`]: { exit_code: 5 },
    [`${site}/cat.jpg`]: null,
    'http://127.0.0.1:1/x': { exit_code: 5 },
    'ftp://h/x': { exit_code: 2 },
  }
  const args = ['--jsonl', '--retries', '0', '-j', '8']
  const { code, stdout } = await fh(['upload', ...Object.keys(errors), ...args])
  expect([code, stored()]).toEqual([3, 1])
  expect(Object.fromEntries(jsonLines(stdout).map(({ file, error }) => [file, error]))).toMatchObject(errors)
})

test('after kill -9 before the answer, the same URL is found in the list and stored once', async () => {
  const { fh, start, site, emulator, stored } = await siteWith()
  emulator.control.faults.add({ match: onUpload, times: 1, action: { type: 'slow_body', ms: 60_000 } })
  const first = start(['upload', `${site}/cat.jpg`])
  await until(() => stored() === 1)
  first.child.kill('SIGKILL')
  await first.ended
  const { stdout } = await fh(['upload', `${site}/cat.jpg`, '--json'], { env: hurried })
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'skipped', error: null, upload: { size: cat.length } }])
  expect(stored()).toBe(1)
})

test('Ctrl-C ends the wait for a site that does not answer, and nothing is stored', async () => {
  const { start, site, seen, stored, temporary } = await siteWith({ '/cat.jpg': () => {} })
  const running = start(['upload', `${site}/cat.jpg`])
  await until(() => seen.length === 1)
  running.child.kill('SIGINT')
  const { code } = await running.ended
  expect([code, stored(), await readdir(temporary)]).toEqual([130, 0, []])
})

test('the plan of a URL asks the site for nothing', async () => {
  const { fh, site, seen, write } = await siteWith()
  await write('own.jpg', jpegBytes(1_024))
  const { code, stdout } = await fh(['upload', '-n', `${site}/cat.jpg?token=hush`, 'own.jpg'])
  expect([code, seen.length]).toEqual([0, 0])
  expect(stdout).toBe(
    `${site}/cat.jpg     ?  not read yet\nown.jpg${' '.repeat(site.length + 1)}  1 KB  image/jpeg\n2 files, 1 KB and 1 of unknown size, 20 units\nas fast as the network allows\n`,
  )
})
