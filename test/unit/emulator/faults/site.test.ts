import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { EmulatorOptions, FaultAction, FaultMatch } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { callControl } from '../control/control-call.ts'
import { emulated, json, send, sendFile } from '../emulated.ts'
import { received } from './received.ts'

/** Large enough for a file of its own on the disk, and different in every place. */
const bytes = Buffer.concat([jpegBytes(4), Buffer.from(Uint32Array.from({ length: 400_000 }, (_, at) => at).buffer)])

async function withFile(options: EmulatorOptions = {}) {
  const emulator = await emulated(options)
  const { upload } = await json(sendFile(emulator, bytes))
  const { pathname } = new URL(upload.direct_url)
  const visit = (path = pathname, init: RequestInit = {}) => emulator.fetch(new Request(`http://h${path}`, init))
  const arm = (action: FaultAction, match: FaultMatch = { path: '/i/*' }) =>
    emulator.control.faults.add({ match, action })
  const views = async () => (await json(send(emulator, 'GET', `/api/uploads/${upload.slug}`))).upload.views
  return { emulator, upload, path: pathname, visit, arm, views }
}

async function bodyOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer())
}

/** What a client on a connection of its own receives: the head, and as much of the body as comes. */
function raw({ port, path, head = '' }: { port: number; path: string; head?: string }) {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${head}\r\n`)
  return received(socket)
}

test.each<[FaultAction, number, string]>([
  [{ type: 'status', status: 503 }, 503, '<h1>503 Service Unavailable</h1>'],
  [{ type: 'status', status: 429, body: { error: 'Rest' }, headers: { 'Retry-After': '7' } }, 429, '{"error":"Rest"}'],
  [{ type: 'html_error' }, 502, '<h1>502 Bad Gateway</h1>'],
])(
  'a file of the website is answered by the fault %j, which counts no view and logs no request',
  async (action, status, text) => {
    const { emulator, visit, arm, views } = await withFile()
    const fault = arm(action)
    const response = await visit()
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)])
    if (status === 429) expect(response.headers.get('Retry-After')).toBe('7')
    expect(emulator.control.faults.list()).toEqual([{ ...fault, seen: 1, struck: 1 }])
    expect(await views()).toBe(0)
    expect((await visit()).status).toBe(200)
    expect(emulator.control.requests.list({ path: '/i/*' }).requests).toEqual([])
  },
)

test.each<[FaultAction, number]>([
  [{ type: 'reset_before' }, 0],
  [{ type: 'reset_after_body_bytes', bytes: 10 }, 0],
  [{ type: 'commit_then_drop' }, 1],
])('the fault %j resets a visit, in process and on a socket, and leaves %i views', async (action, seen) => {
  const { emulator, path, visit, arm, views } = await withFile()
  arm(action)
  await expect(visit()).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } })
  expect(await views()).toBe(seen)
  arm(action)
  const { port } = await emulator.listen()
  expect(await raw({ port, path })).toMatchObject({ code: 'ECONNRESET', bytes: 0 })
})

test('a file with a wrong length is sent whole, or in process cut where fetch would cut it', async () => {
  const { emulator, path, visit, arm } = await withFile()
  const { port } = await emulator.listen()
  arm({ type: 'wrong_content_length', bytes: 10 })
  const long = await raw({ port, path })
  expect([long.declared, long.body.equals(bytes)]).toEqual([bytes.length + 10, true])
  arm({ type: 'wrong_content_length', bytes: -10 })
  const short = await raw({ port, path })
  expect([short.declared, short.body.equals(bytes)]).toEqual([bytes.length - 10, true])
  arm({ type: 'wrong_content_length', bytes: -10 })
  expect((await bodyOf(await visit())).equals(bytes.subarray(0, -10))).toBe(true)
  arm({ type: 'wrong_content_length', bytes: 10 })
  await expect((await visit()).arrayBuffer()).rejects.toThrow(TypeError)
})

test('a HEAD meets resets and answers, and keeps its headers where a fault would change a body', async () => {
  const { visit, arm, upload, emulator } = await withFile()
  const head = (path?: string) => visit(path, { method: 'HEAD' })
  arm({ type: 'status', status: 503, headers: { 'Retry-After': '3' } })
  const refused = await head()
  expect([refused.status, refused.headers.get('Retry-After'), await refused.text()]).toEqual([503, '3', ''])
  arm({ type: 'reset_before' })
  await expect(head()).rejects.toThrow('fetch failed')
  arm({ type: 'truncate_response', bytes: 1 })
  const whole = await head()
  expect([whole.status, whole.headers.get('Content-Length')]).toEqual([200, String(bytes.length)])
  arm({ type: 'status', status: 500 }, { method: 'GET', path: `/i/${upload.slug}*` })
  expect((await head()).status).toBe(200)
  expect((await visit()).status).toBe(500)
  expect(emulator.control.faults.list().at(-1)).toMatchObject({ seen: 1, struck: 1 })
})

test('a thumbnail and a page meet the faults of their paths', async () => {
  const { emulator, upload, visit, arm } = await withFile()
  await emulator.control.uploads.update(upload.slug, { thumbnail: 'ready' })
  arm({ type: 'truncate_response', bytes: 9 }, { path: '/t/*' })
  arm({ type: 'html_error' }, { path: `/e/${upload.slug}` })
  expect((await visit(`/e/${upload.slug}`)).status).toBe(502)
  const cut = await visit(`/t/${upload.slug}`)
  await expect(cut.arrayBuffer()).rejects.toThrow(TypeError)
  expect((await bodyOf(await visit(`/t/${upload.slug}`))).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]))
})

test.each<FaultMatch>([{}, { path: '*' }, { path: '/i*' }, { path: '/api/*' }, { method: 'GET' }, { account_id: 1 }])(
  'a fault that matches %j leaves the website as it is, and one for the website leaves the API as it is',
  async (match) => {
    const { emulator, visit, arm } = await withFile()
    arm({ type: 'status', status: 500 }, { method: 'GET', ...match })
    expect((await visit()).status).toBe(200)
    emulator.control.faults.set([{ match: { path: '/i/*' }, times: null, action: { type: 'reset_before' } }])
    expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
    expect((await send(emulator, 'GET', '/')).status).toBe(200)
    expect((await callControl(emulator, 'GET', '/health')).status).toBe(200)
    await expect(visit()).rejects.toThrow('fetch failed')
  },
)

test('account_id is the owner of the file: the files of other accounts, and no file, are not struck', async () => {
  const { emulator, visit } = await withFile()
  const { id, api_key } = emulator.control.accounts.create()
  const form = fileForm(jpegBytes(50))
  const headers = { ...form.headers, 'X-Api-Key': api_key }
  const own = (await json(send(emulator, 'POST', '/api/upload', { headers, body: form.body }))).upload
  const action = { type: 'status', status: 500 } as const
  emulator.control.faults.set([{ match: { path: '/i/*', account_id: id }, times: null, action }])
  const statusOf = async (path?: string) => (await visit(path)).status
  expect(await statusOf()).toBe(200)
  expect(await statusOf('/i/none.jpg')).toBe(404)
  expect(await statusOf(new URL(own.direct_url).pathname)).toBe(500)
  emulator.control.faults.set([{ match: { path: '/i/*', account_id: 999 }, times: null, action }])
  expect(await statusOf(new URL(own.direct_url).pathname)).toBe(200)
})

test('below a site address with a path, faults name paths without it', async () => {
  const { path, visit, arm } = await withFile({ siteUrl: 'http://cdn.example/files' })
  expect(path).toMatch(/^\/files\/i\//)
  arm({ type: 'html_error' })
  expect((await visit()).status).toBe(502)
})
