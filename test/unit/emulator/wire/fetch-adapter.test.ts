import { expect, onTestFinished, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { emulated, json } from '../emulated.ts'

type Init = NonNullable<Parameters<typeof globalThis.fetch>[1]>

async function service() {
  const emulator = await emulated({ apiKey: 'k' })
  const headers = { 'X-Api-Key': 'k' }
  const redirect = (path: string, status: number, Location: string) =>
    emulator.control.faults.set([
      { match: { path }, times: 99, action: { type: 'status', status, headers: { Location } } },
    ])
  const logged = () => emulator.control.requests.list().requests
  // Called without its object, as programs do that are given a fetch.
  const { fetch } = emulator
  return { emulator, fetch, headers, redirect, logged }
}

function form(bytes: Uint8Array): FormData {
  const data = new FormData()
  data.append('file', new File([bytes as Uint8Array<ArrayBuffer>], 'photo.jpg'))
  return data
}

const emptyStream = () => new ReadableStream({ start: (stream) => stream.close() })

test('emulator.fetch takes a string, a URL and a Request, and an init whose fields come before the Request’s', async () => {
  const { fetch, headers, logged } = await service()
  const url = 'http://h/api/stats'
  await fetch(new URL(url), { headers })
  await fetch(new Request(url, { headers: { 'X-Api-Key': 'wrong' } }), { headers })
  await fetch(new Request(url, { headers }), { method: 'head' })
  await fetch(url, new Request('http://other/', { headers }))
  expect(logged().map(({ method, status }) => `${method} ${status}`)).toEqual([
    'GET 200',
    'GET 200',
    'HEAD 200',
    'GET 200',
  ])
  const request = () => new Request('http://h/api/upload', { method: 'POST', body: form(jpegBytes(300)) })
  const kept = request()
  const type = { ...headers, 'Content-Type': kept.headers.get('Content-Type') ?? '' }
  expect((await json(fetch(kept, { headers: type }))).upload.size).toBe(300)
  const replaced = new Request('http://h/api/upload', { method: 'POST' })
  expect((await json(fetch(replaced, { headers, body: form(jpegBytes(500)) }))).upload.size).toBe(500)
})

test('a path alone is a path of the emulator: of its socket once it listens', async () => {
  const { emulator, fetch, headers } = await service()
  const path = async () => (await json(fetch('/api/uploads', { headers }))).path
  expect(await path()).toBe('http://localhost/api/uploads')
  const { baseUrl } = await emulator.listen()
  expect(await path()).toBe(`${baseUrl}/api/uploads`)
})

test.each<[string, string, Init | undefined]>([
  ['no URL', 'http://', undefined],
  ['a key in the URL’s credentials', 'http://user:secret@h/api/stats', undefined],
  ['a GET with a body', 'http://h/api/stats', { body: 'a' }],
  ['a method that is no word', 'http://h/', { method: 'GET /' }],
  ['a header value with a line end', 'http://h/', { headers: { 'X-Key': 'a\r\nb' } }],
])('emulator.fetch rejects with a TypeError, as the global fetch does: %s', async (_, input, init) => {
  const { fetch, logged } = await service()
  await expect(fetch(input, init)).rejects.toThrow(TypeError)
  expect(logged()).toEqual([])
})

test('a Request or a stream whose body has been read cannot be sent', async () => {
  const { fetch, headers } = await service()
  const request = new Request('http://h/api/upload', { method: 'POST', headers, body: form(jpegBytes(9)) })
  expect((await fetch(request)).status).toBe(201)
  await expect(fetch(request)).rejects.toThrow(TypeError)
  const body = emptyStream()
  body.getReader()
  await expect(fetch('http://h/api/upload', { method: 'POST', body, duplex: 'half' })).rejects.toThrow(TypeError)
})

test('bytes are those of the moment of the call', async () => {
  const { fetch } = await service()
  const body = Buffer.from('{"page_size":7}')
  const answer = fetch('http://localhost/_emulator/settings', { method: 'PATCH', body })
  body.fill(0x20)
  expect(await (await answer).json()).toMatchObject({ page_size: 7 })
})

test.each([
  [302, 'GET 200'],
  [303, 'GET 200'],
  [307, 'POST 405'],
])('the redirect %i is followed as fetch follows it: %s', async (status, followed) => {
  const { fetch, headers, redirect, logged } = await service()
  redirect('/api/upload', status, '/api/stats?seen')
  const answer = await fetch('http://h/api/upload', { method: 'POST', headers, body: 'a' })
  expect([answer.redirected, answer.url]).toEqual([true, 'http://h/api/stats?seen'])
  const last = logged().at(-1)
  expect(`${last?.method} ${last?.status}`).toBe(followed)
})

test('a redirect is the answer of a caller who follows it, and an error of one who wants none, or of a circle', async () => {
  const { fetch, headers, redirect, logged } = await service()
  redirect('/api/stats', 302, '/api/stats')
  const manual = await fetch('http://h/api/stats', { headers, redirect: 'manual' })
  expect([manual.status, manual.redirected, manual.headers.get('Location')]).toEqual([302, false, '/api/stats'])
  await expect(fetch('/api/stats', { headers, redirect: 'error' })).rejects.toThrow('fetch failed')
  await expect(fetch('/api/stats', { headers })).rejects.toThrow('fetch failed')
  expect(logged()).toHaveLength(23)
})

test('where the environment has no Response, emulator.fetch says what to do', async () => {
  const { fetch } = await service()
  const { Response } = globalThis
  onTestFinished(() => {
    globalThis.Response = Response
  })
  Reflect.deleteProperty(globalThis, 'Response')
  await expect(fetch('/api/stats')).rejects.toThrow(/has no Request and Response.*jest-fixed-jsdom/)
})
