import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { EmulatorOptions } from '../../../../../emulator/index.ts'
import { jpegBytes } from '../../../../helpers/media.ts'
import { fileForm } from '../../../../helpers/multipart-form.ts'
import { until } from '../../../../helpers/until.ts'
import { emulated, json } from '../../emulated.ts'

async function listening(options: EmulatorOptions = {}) {
  const emulator = await emulated(options)
  const { baseUrl, port } = await emulator.listen()
  const key = { 'X-Api-Key': emulator.apiKey }
  return { emulator, baseUrl, port, key }
}

interface RawRequest {
  readonly port: number
  /** Everything before the empty line. */
  readonly head: readonly string[]
  readonly body?: Uint8Array
}

/** Sends a raw request and reads until the connection ends. */
async function exchange({ port, head, body }: RawRequest): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write([...head, '', ''].join('\r\n'))
  if (body !== undefined) socket.write(body)
  return text(socket)
}

/** An empty folder for temporary files. */
async function temporaryFolder(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'server-test-'))
  vi.stubEnv('TMPDIR', place)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    return rm(place, { recursive: true, force: true })
  })
  return place
}

test('a listener reports its address and answers there', async () => {
  const { baseUrl, port, key } = await listening()
  expect(baseUrl).toBe(`http://127.0.0.1:${port}`)
  const response = await fetch(`${baseUrl}/api/uploads?page=2`, { headers: key })
  expect((await json(response)).path).toBe(`${baseUrl}/api/uploads`)
  expect(response.headers.get('Date')).toBe('Thu, 15 Jan 2026 12:00:00 GMT')
})

test('a fragment in the target belongs neither to the query nor to the path', async () => {
  const { emulator, port } = await listening()
  for (const [target, page] of [
    ['/api/uploads?page=2#&page=3', 2],
    ['/api/uploads#/none?page=3', 1],
  ]) {
    const head = [`GET ${target} HTTP/1.1`, 'Host: h', `X-Api-Key: ${emulator.apiKey}`, 'Connection: close']
    expect(await exchange({ port, head })).toContain(`"current_page":${page}`)
  }
})

test('links have the host the client addressed, or the socket’s address without a Host header', async () => {
  const { emulator, port } = await listening()
  const path = `/api/uploads?api_key=${emulator.apiKey}`
  for (const [head, host] of [
    [[`GET ${path} HTTP/1.1`, 'Host: files.test:81', 'Connection: close'], 'files.test:81'],
    [[`GET ${path} HTTP/1.0`], `127.0.0.1:${port}`],
    [[`GET http://files.test${path} HTTP/1.1`, 'Host: files.test', 'Connection: close'], 'files.test'],
  ] as const) {
    expect(await exchange({ port, head })).toContain(`"path":"http:\\/\\/${host}\\/api\\/uploads"`)
  }
})

test('listening on a taken port fails with one line that says what to do', async () => {
  const { port } = await listening()
  const other = await emulated()
  await expect(other.listen({ port })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is already in use: stop the program listening there, or choose another port (0 takes any free one)`,
  )
})

test('two key headers are an invalid key', async () => {
  const { emulator, port } = await listening()
  const key = `X-Api-Key: ${emulator.apiKey}`
  const answer = await exchange({ port, head: ['GET /api/stats HTTP/1.1', 'Host: h', key, key, 'Connection: close'] })
  expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
})

/** Sends a form with Node's own client, which may get a refusal before it has sent everything. */
function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  agent?: Agent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers, ...(agent === undefined ? {} : { agent }) }, resolve)
    sending.on('error', reject)
    sending.end(body)
  })
}

test('a refused upload is answered while its body is still arriving, and the connection stays usable', async () => {
  const { baseUrl } = await listening()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const form = fileForm(jpegBytes(30 * 1_048_576))
  const headers = { ...form.headers, 'X-Api-Key': 'wrong', 'Content-Length': String(form.body.length) }
  const ports = new Set<number | undefined>()
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const response = await post(`${baseUrl}/api/upload`, headers, form.body, agent)
    ports.add(response.socket.localPort)
    expect([response.statusCode, await text(response)]).toEqual([401, '{"error":"Invalid API key."}'])
  }
  expect(ports.size).toBe(1)
})

test('an upload that becomes too large while arriving is answered once it has been read', async () => {
  const { baseUrl, key } = await listening({ maxFileSizeBytes: 1_024 })
  const form = fileForm(jpegBytes(8 * 1_048_576))
  const response = await post(`${baseUrl}/api/upload`, { ...form.headers, ...key }, form.body)
  expect([response.statusCode, JSON.parse(await text(response)).message]).toEqual([
    422,
    'The file field must not be greater than 1 kilobytes.',
  ])
})

test('a body without a declared length that becomes too large is answered 413 while it is arriving', async () => {
  const { baseUrl, key } = await listening({ maxFileSizeBytes: 1_024 })
  const form = fileForm(jpegBytes(30 * 1_048_576))
  const headers = { ...form.headers, ...key, 'Transfer-Encoding': 'chunked' }
  const response = await post(`${baseUrl}/api/upload`, headers, form.body)
  expect([response.statusCode, JSON.parse(await text(response)).message]).toEqual([413, 'The POST data is too large.'])
})

test('100 Continue is sent only if the body is read', async () => {
  const { emulator, port, key } = await listening()
  const form = fileForm(jpegBytes(2_000))
  const head = (apiKey: string) => [
    'POST /api/upload HTTP/1.1',
    'Host: h',
    `X-Api-Key: ${apiKey}`,
    `Content-Type: ${form.headers['Content-Type']}`,
    `Content-Length: ${form.body.length}`,
    'Expect: 100-continue',
    'Connection: close',
  ]
  const wanted = await exchange({ port, head: head(key['X-Api-Key']), body: form.body })
  expect(wanted).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
  const refused = await exchange({ port, head: head('wrong'), body: form.body })
  expect(refused).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
  expect(emulator.control.requests.list().requests.map(({ status }) => status)).toEqual([201, 401])
})

test('a client that disconnects during a large upload leaves no files', async () => {
  const place = await temporaryFolder()
  const filesNow = () => readdirSync(place).flatMap((folder) => readdirSync(join(place, folder)))
  const { emulator, port, baseUrl, key } = await listening()
  const form = fileForm(jpegBytes(10 * 1_048_576))
  const socket = connect(port, '127.0.0.1')
  const head = ['POST /api/upload HTTP/1.1', 'Host: h', `X-Api-Key: ${emulator.apiKey}`]
  const fields = [`Content-Type: ${form.headers['Content-Type']}`, `Content-Length: ${form.body.length}`]
  socket.write([...head, ...fields, '', ''].join('\r\n'))
  socket.write(form.body.subarray(0, 5 * 1_048_576))
  await until(() => filesNow().length === 1)
  socket.destroy()
  await until(() => emulator.control.requests.list().kept === 1)
  expect(filesNow()).toEqual([])
  expect(emulator.control.requests.list().requests).toMatchObject([{ status: 499, cost: 10, account_id: 1 }])
  const stats = await json(fetch(`${baseUrl}/api/stats`, { headers: key }))
  expect(stats.uploads).toBe(0)
})

test('closing waits for running requests, ends idle connections and removes the temporary folder', async () => {
  const place = await temporaryFolder()
  const { emulator, baseUrl, key } = await listening()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const small = fileForm(jpegBytes(100))
  await text(await post(`${baseUrl}/api/upload`, { ...small.headers, ...key }, small.body, agent))
  const large = fileForm(jpegBytes(4 * 1_048_576))
  const answer = post(`${baseUrl}/api/upload`, { ...large.headers, ...key }, large.body, agent)
  await until(() => readdirSync(place).length === 1)
  await emulator.close()
  expect((await answer).statusCode).toBe(201)
  expect(readdirSync(place)).toEqual([])
  await expect(fetch(`${baseUrl}/api/stats`)).rejects.toThrow('fetch failed')
})
