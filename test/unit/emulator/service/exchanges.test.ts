import { expect, test } from 'vitest'
import type { Emulator, ExchangeInfo } from '../../../../emulator/index.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { callControl } from '../control/control-call.ts'
import { emulated, send, sendFile } from '../emulated.ts'

const apiKey = 'key-It/secret"7Vk2'

/** The service reads the bodies of uploads, and of forms that may name another method. */
function sendForm(emulator: Emulator, body: string | Uint8Array, type = 'application/x-www-form-urlencoded') {
  return send(emulator, 'POST', '/api/uploads/none', { body, headers: { 'Content-Type': type } })
}

async function exchangeOf(emulator: Emulator, number: number): Promise<ExchangeInfo> {
  const { exchange } = emulator.control.requests.get(number)
  if (exchange === null) throw new Error(`Nothing is kept of request ${number}`)
  return exchange
}

test('one request has query, headers and bodies of both sides, its duration and the windows before and after', async () => {
  const emulator = await emulated({ quotas: {} })
  await sendFile(emulator, Buffer.from('GIF89a, and more'), 'a.gif')
  await send(emulator, 'GET', '/api/uploads?page=3&x=1')
  const upload = await exchangeOf(emulator, 1)
  expect(upload.windows).toMatchObject({ burst: { limit: 20, before: 0, after: 10 }, day: { before: 0, after: 10 } })
  expect(upload.request_body).toMatchObject({ is_cut: false, text: expect.stringContaining('filename="a.gif"') })
  const list = await exchangeOf(emulator, 2)
  expect(list).toMatchObject({ origin: 'http://h', query: 'page=3&x=1', request_body: null, soft_delay_ms: 0 })
  expect(list.duration_ms).toBeGreaterThanOrEqual(0)
  expect(list.response?.headers['Content-Type']).toBe('application/json')
  expect(JSON.parse(list.response?.body?.text ?? '')).toMatchObject({ current_page: 3 })
  const { body } = await callControl(emulator, 'GET', '/requests/2')
  expect(body).toEqual(emulator.control.requests.get(2))
  expect(await callControl(emulator, 'GET', '/requests/3')).toMatchObject({
    status: 404,
    body: { error: { code: 'no-such-request' } },
  })
  await emulator.control.reset()
  await send(emulator, 'GET', '/api/uploads?after=reset')
  expect((await exchangeOf(emulator, 1)).query).toBe('after=reset')
})

test('the key is hidden in query, headers and bodies, however it is written, and where a body is cut inside it', async () => {
  const emulator = await emulated({ apiKey, settings: { links_page_key: true, page_urls_keep_query: true } })
  const key = encodeURIComponent(apiKey)
  await emulator.fetch(`/api/uploads?api%5Fkey=${key}&page=1`, { headers: { Referer: `http://h/?k=${apiKey}` } })
  const form = fileForm(Buffer.from(`GIF89a ${apiKey} and`), 'a.gif')
  await send(emulator, 'POST', '/api/upload', form)
  await sendForm(emulator, 'token=first&other=kept&api_key=second')
  await sendForm(emulator, '{"password": "hush", "a": 1}')
  const part = '--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\nthird\r\n--b--\r\n'
  await sendForm(emulator, part, 'multipart/form-data; boundary=b')
  await sendForm(emulator, `${'x'.repeat(65_530)}${apiKey}`)
  const whole = JSON.stringify([1, 2, 3, 4, 5, 6].map((number) => emulator.control.requests.get(number)))
  expect(whole).not.toMatch(/7Vk2|key-It|second|third|hush|first&/)
  expect(whole).toContain('other=kept')
  expect(JSON.stringify(emulator.control.requests.har())).not.toMatch(/7Vk2|key-It|second|third|hush/)
  expect((await exchangeOf(emulator, 1)).query).toBe('api%5Fkey=(hidden)&page=1')
})

test('of a body the first 64 KiB are kept, of bytes that are no text as base64, and of the newest 500 requests', async () => {
  const emulator = await emulated()
  await sendForm(emulator, 'ă'.repeat(40_000))
  const long = (await exchangeOf(emulator, 1)).request_body
  expect(long).toMatchObject({ size: 80_000, is_cut: true })
  expect(long?.text).toMatch(/^ă{32000,32768}$/)
  await sendForm(emulator, Uint8Array.of(0xff, 0, 1))
  expect((await exchangeOf(emulator, 2)).request_body).toEqual({ size: 3, is_cut: false, base64: '/wAB' })
  for (let sent = 0; sent < 499; sent += 1) await emulator.fetch('/api/stats')
  expect(emulator.control.requests.get(1).exchange).toBeNull()
  expect(emulator.control.requests.get(2).exchange).not.toBeNull()
  expect(JSON.stringify(await emulator.control.state.get())).not.toContain('/wAB')
})

test('a body that arrives slowly is kept whole, though many others come and go meanwhile', async () => {
  const emulator = await emulated()
  const pieces = new TransformStream<Uint8Array, Uint8Array>()
  const writer = pieces.writable.getWriter()
  const type = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Api-Key': 'x' }
  const init = { method: 'POST', body: pieces.readable, duplex: 'half', headers: type } as const
  const slow = emulator.fetch('/api/uploads/none', init as RequestInit)
  await writer.write(Buffer.from('a=first&'))
  for (let sent = 0; sent < 1_000; sent += 1) await sendForm(emulator, 'x'.repeat(500))
  await writer.write(Buffer.from('b=last'))
  await writer.close()
  await slow
  expect((await exchangeOf(emulator, 1_001)).request_body?.text).toBe('a=first&b=last')
})

test('sixteen MiB of bodies are kept together, the newest', async () => {
  const emulator = await emulated()
  const body = new Uint8Array(65_536)
  for (let sent = 0; sent < 257; sent += 1) await sendForm(emulator, body)
  expect(emulator.control.requests.get(1).exchange).toBeNull()
  expect(emulator.control.requests.get(257).exchange).not.toBeNull()
})

test('a request says what of its time was a soft delay or a fault, what a fault answered, and that nothing answered', async () => {
  const emulator = await emulated({ quotas: { burst: null, minute: 2, hour: null, day: null } })
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/api/stats')
  emulator.control.faults.set([
    { match: { nth: 1 }, action: { type: 'delay', ms: 1_500 } },
    { match: { nth: 2 }, action: { type: 'slow_body', ms: 10, bytes: 4 } },
    { match: { nth: 3 }, action: { type: 'reset_before' } },
  ])
  emulator.control.settings.update({ quotas: { minute: null } })
  await send(emulator, 'GET', '/api/stats')
  await (await send(emulator, 'GET', '/api/stats')).text()
  await send(emulator, 'GET', '/api/stats').catch(() => {})
  expect((await exchangeOf(emulator, 2)).soft_delay_ms).toBe(2_000)
  expect(await exchangeOf(emulator, 3)).toMatchObject({ fault_delay_ms: 1_500, soft_delay_ms: 0 })
  const slow = (await exchangeOf(emulator, 4)).response?.body
  expect(JSON.parse(slow?.text ?? '')).toHaveProperty('uploads')
  expect((await exchangeOf(emulator, 5)).response).toBeNull()
})

test('the archive is HAR 1.2, with what was sent where it is kept, and over HTTP the same', async () => {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/uploads?page=2&q=%C4%83')
  await sendFile(emulator, Buffer.from([0x47, 0x49, 0x46, 0xff, 0]), 'a.gif')
  const har = emulator.control.requests.har()
  expect(har.log).toMatchObject({ version: '1.2', creator: { name: 'filehost emulator' }, pages: [] })
  const [list, upload] = har.log.entries
  expect(list).toMatchObject({
    startedDateTime: '2026-01-15T12:00:00.000Z',
    request: {
      method: 'GET',
      url: 'http://h/api/uploads?page=2&q=%C4%83',
      queryString: [
        { name: 'page', value: '2' },
        { name: 'q', value: 'ă' },
      ],
      cookies: [],
      headersSize: -1,
      bodySize: 0,
    },
    response: { status: 200, statusText: 'OK', content: { mimeType: 'application/json' }, redirectURL: '' },
    cache: {},
    timings: { send: 0, receive: 0 },
  })
  expect(list?.time).toBe(list?.timings.wait)
  expect(upload?.request.postData).toMatchObject({ params: [], text: expect.stringContaining('GIFÿ\0') })
  for (let sent = 0; sent < 499; sent += 1) await emulator.fetch('/api/stats')
  const { body } = await callControl(emulator, 'GET', '/requests.har?method=GET&limit=600')
  expect(body).toEqual(emulator.control.requests.har({ method: 'GET' }))
  expect(emulator.control.requests.har().log.entries[0]).toMatchObject({
    request: { url: 'http://localhost/api/uploads', bodySize: -1 },
    response: { status: 200, headers: [], bodySize: -1 },
  })
})
