import { readdirSync } from 'node:fs'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { EmulatorOptions } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { temporaryFilesHere } from '../../../helpers/temporary-folder.ts'
import { until } from '../../../helpers/until.ts'
import { emulated } from '../emulated.ts'

async function listening(options: EmulatorOptions = {}) {
  const emulator = await emulated(options)
  const { baseUrl, port } = await emulator.listen()
  const key = { 'X-Api-Key': emulator.apiKey }

  /** Sends a raw request and reads until the connection ends. */
  const exchange = (head: readonly string[], body: Uint8Array = Buffer.alloc(0)) => {
    const socket = connect(port, '127.0.0.1')
    socket.write([...head, '', ''].join('\r\n'))
    socket.write(body)
    return text(socket)
  }

  /** Uploads with Node's own client, which may get a refusal before it has sent everything. */
  const upload = async (bytes: number, headers: Record<string, string> = {}, options: RequestOptions = {}) => {
    const form = fileForm(jpegBytes(bytes))
    const sent = { ...options, method: 'POST', headers: { ...form.headers, ...key, ...headers } }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${baseUrl}/api/upload`, sent, resolve).on('error', reject).end(form.body)
    })
    const { localPort } = response.socket
    return { status: response.statusCode, localPort, text: await text(response) }
  }
  return { emulator, baseUrl, port, key, exchange, upload }
}

function keptAlive(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

test.each([
  ['/api/uploads?page=2#&page=3', 2],
  ['/api/uploads#/none?page=3', 1],
])('the fragment in the target %s belongs neither to the query nor to the path', async (target, page) => {
  const { emulator, exchange } = await listening()
  const head = [`GET ${target} HTTP/1.1`, 'Host: h', `X-Api-Key: ${emulator.apiKey}`, 'Connection: close']
  expect(await exchange(head)).toContain(`"current_page":${page}`)
})

test('links have the host the client addressed, or the socket’s address without a Host header', async () => {
  const { emulator, baseUrl, port, exchange } = await listening()
  expect(baseUrl).toBe(`http://127.0.0.1:${port}`)
  const path = `/api/uploads?api_key=${emulator.apiKey}`
  for (const [head, host] of [
    [[`GET ${path} HTTP/1.1`, 'Host: files.test:81', 'Connection: close'], 'files.test:81'],
    [[`GET ${path} HTTP/1.0`], `127.0.0.1:${port}`],
    [[`GET http://files.test${path} HTTP/1.1`, 'Host: files.test', 'Connection: close'], 'files.test'],
  ] as const) {
    expect(await exchange(head)).toContain(`"path":"http:\\/\\/${host}\\/api\\/uploads"`)
  }
})

test('silence 64: two key headers are an invalid key', async () => {
  const { emulator, exchange } = await listening()
  const key = `X-Api-Key: ${emulator.apiKey}`
  const answer = await exchange(['GET /api/stats HTTP/1.1', 'Host: h', key, key, 'Connection: close'])
  expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
})

test('a refused upload is answered while its body is still arriving, and the connection stays usable', async () => {
  const { upload } = await listening()
  const agent = keptAlive()
  const ports = new Set<number | undefined>()
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const answer = await upload(30 * 1_048_576, { 'X-Api-Key': 'wrong' }, { agent })
    ports.add(answer.localPort)
    expect([answer.status, answer.text]).toEqual([401, '{"error":"Invalid API key."}'])
  }
  expect(ports.size).toBe(1)
})

test.each([
  [8, {}, 422, 'The file field must not be greater than 1 kilobytes.'],
  [30, { 'Transfer-Encoding': 'chunked' }, 413, 'The POST data is too large.'],
])('an upload of %i MiB that becomes too large while arriving, with headers %j, is answered %i', async (...row) => {
  const [mebibytes, headers, status, message] = row
  const { upload } = await listening({ maxFileSizeBytes: 1_024 })
  const answer = await upload(mebibytes * 1_048_576, headers)
  expect([answer.status, JSON.parse(answer.text).message]).toEqual([status, message])
})

test('silence 59: 100 Continue is sent only if the body is read', async () => {
  const { emulator, exchange, key } = await listening()
  const form = fileForm(jpegBytes(2_000))
  const ask = (apiKey: string) => {
    const lines = [
      `X-Api-Key: ${apiKey}`,
      `Content-Type: ${form.headers['Content-Type']}`,
      `Content-Length: ${form.body.length}`,
    ]
    const head = ['POST /api/upload HTTP/1.1', 'Host: h', ...lines, 'Expect: 100-continue', 'Connection: close']
    return exchange(head, form.body)
  }
  expect(await ask(key['X-Api-Key'])).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
  expect(await ask('wrong')).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
  expect(emulator.control.requests.list().requests.map(({ status }) => status)).toEqual([201, 401])
})

test('a client that disconnects during a large upload leaves no files', async () => {
  const place = temporaryFilesHere()
  const filesNow = () =>
    readdirSync(place).flatMap((folder) => readdirSync(join(place, folder)).filter((name) => name !== 'lock'))
  const { emulator, baseUrl, key } = await listening()
  const form = fileForm(jpegBytes(10 * 1_048_576))
  const headers = { ...form.headers, ...key, 'Content-Length': form.body.length }
  const sending = request(`${baseUrl}/api/upload`, { method: 'POST', headers }).on('error', () => {})
  sending.write(form.body.subarray(0, 5 * 1_048_576))
  await until(() => filesNow().length === 1)
  sending.destroy()
  await until(() => emulator.control.requests.list().kept === 1)
  expect(filesNow()).toEqual([])
  expect(emulator.control.requests.list().requests).toMatchObject([{ status: 499, cost: 10, account_id: 1 }])
  expect(emulator.control.health().uploads).toBe(0)
})

test('closing waits for running requests, ends idle connections and removes the temporary folder', async () => {
  const place = temporaryFilesHere()
  const { emulator, baseUrl, upload } = await listening()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  await upload(100, {}, { agent })
  const answer = upload(4 * 1_048_576, {}, { agent })
  await until(() => readdirSync(place).length === 1)
  await emulator.close()
  expect((await answer).status).toBe(201)
  expect(readdirSync(place)).toEqual([])
  await expect(fetch(`${baseUrl}/api/stats`)).rejects.toThrow('fetch failed')
})
