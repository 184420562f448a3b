import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator, type Emulator } from '../../../emulator/index.ts'
import { createClient, fetchTransport, nodeTransport, type Transport, undiciTransport } from '../../../src/index.ts'
import { unlimited } from '../../../src/protocol/rate-limits.ts'
import { blobBytes } from '../../../src/system/blob-bytes.ts'
import { jpegBytes } from '../../helpers/media.ts'

const bytes = jpegBytes(700_000)

async function emulated(): Promise<Emulator> {
  const emulator = await createEmulator({ apiKey: 'k', quotas: unlimited, settings: { thumbnail: 'never' } })
  onTestFinished(() => emulator.close())
  return emulator
}

const sha256 = (content: ArrayBuffer | Uint8Array) =>
  createHash('sha256')
    .update(Buffer.from(content as ArrayBuffer))
    .digest('hex')

function form(): FormData {
  const data = new FormData()
  data.append('note', 'one\ntwo')
  data.append('file', new File([bytes as Uint8Array<ArrayBuffer>], 'a "b".jpg', { type: 'image/jpeg' }))
  return data
}

/** With Vitest's jsdom, Node 24 and later put an empty file in place of the one in a form, when a Request is made of it. */
async function requestsKeepFiles(): Promise<boolean> {
  const body = await new Request('http://h/', { method: 'post', body: form() }).arrayBuffer()
  return body.byteLength > bytes.length
}

/** Bytes that the emulator has of its only upload. */
async function stored(emulator: Emulator): Promise<ArrayBuffer> {
  const list = await emulator.fetch('/api/uploads', { headers: { 'X-Api-Key': 'k' } })
  const { data } = (await list.json()) as { data: readonly [{ direct_url: string }] }
  return (await emulator.fetch(data[0].direct_url)).arrayBuffer()
}

/** Ways to give the same JSON as a body. */
const bodies: Record<string, (text: string) => unknown> = {
  string: (text) => text,
  Uint8Array: (text) => new TextEncoder().encode(text),
  Buffer: (text) => Buffer.from(text),
  DataView: (text) => new DataView(Uint8Array.from(Buffer.from(text)).buffer),
  ArrayBuffer: (text) => Uint8Array.from(Buffer.from(text)).buffer,
  Blob: (text) => new Blob([text]),
  File: (text) => new File([text], 'settings.json'),
  ReadableStream: (text) =>
    new ReadableStream({
      start(stream) {
        stream.enqueue(Buffer.from(text))
        stream.close()
      },
    }),
  'async iterable': async function* (text) {
    yield Buffer.from(text.slice(0, 3))
    yield text.slice(3)
  },
}

const transports: Record<string, (emulator: Emulator) => Transport> = {
  'emulator.fetch': ({ fetch }) => fetchTransport(fetch),
  'undici, the default': () => undiciTransport(),
  'node:http': () => nodeTransport(),
  'the global fetch': () => fetchTransport(),
}

/** What holds in every environment of Vitest, with the classes that it puts in place of Node's. */
export function environmentTests(): void {
  test('a form with a file arrives byte for byte, given as an init or in a Request', async () => {
    for (const wrapped of (await requestsKeepFiles()) ? [false, true] : [false]) {
      const emulator = await emulated()
      const init = { method: 'post', body: form(), headers: { 'X-API-KEY': 'k', accept: 'application/json' } }
      const url = 'http://h/api/upload'
      const answer = await (wrapped ? emulator.fetch(new Request(url, init)) : emulator.fetch(url, init))
      expect([answer.status, await answer.json()]).toMatchObject([201, { upload: { size: bytes.length } }])
      expect(sha256(await stored(emulator))).toBe(sha256(bytes))
      const [logged] = emulator.control.requests.list({ method: 'POST' }).requests
      expect(logged).toMatchObject({ key_in: 'header', status: 201 })
    }
  })

  test.each(Object.keys(bodies))('a body given as %s arrives', async (name) => {
    const emulator = await emulated()
    const body = bodies[name]?.('{"page_size": 7}') as string
    const init = { method: 'PATCH', body, duplex: 'half' } as RequestInit
    const answer = await emulator.fetch('http://localhost/_emulator/settings', init)
    expect([answer.status, await answer.json()]).toMatchObject([200, { page_size: 7 }])
  })

  test('the answer is a Response of the environment, with its address', async () => {
    const emulator = await emulated()
    const answer = await emulator.fetch('http://h/api/stats#top', { headers: new Headers({ 'x-aPi-kEy': 'k' }) })
    expect(answer).toBeInstanceOf(Response)
    const seen = [answer.ok, answer.url, answer.headers.get('content-type')]
    expect(seen).toEqual([true, 'http://h/api/stats', 'application/json'])
    expect(await answer.clone().json()).toEqual(await answer.json())
  })

  test('a file is readable in all ways of a Response', async () => {
    const emulator = await emulated()
    const options = { baseUrl: 'http://127.0.0.1', apiKey: 'k', transport: fetchTransport(emulator.fetch) }
    const { slug } = await createClient(options).upload(Buffer.from(bytes))
    const raw = () => emulator.fetch(`/i/${slug}.jpg`)
    const chunks: Uint8Array[] = []
    for await (const chunk of (await raw()).body as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk)
    // From Node 24 on, a Response makes its Blob with the class of the environment; that of jsdom has no arrayBuffer.
    const whole = await blobBytes(await (await raw()).blob())
    expect([sha256(Buffer.concat(chunks)), sha256(whole)]).toEqual([sha256(bytes), sha256(bytes)])
  })

  test.each(Object.keys(transports))(
    'a client makes every call, with a File and a Blob of the environment, through %s',
    async (name) => {
      const emulator = await emulated()
      const inProcess = name === 'emulator.fetch'
      const { baseUrl } = inProcess ? { baseUrl: 'http://127.0.0.1' } : await emulator.listen()
      await using client = createClient({
        baseUrl,
        apiKey: 'k',
        transport: transports[name]?.(emulator),
        pacing: false,
      })
      const file = new File([bytes as Uint8Array<ArrayBuffer>], 'photo.jpg', { type: 'image/jpeg' })
      const { slug, size } = await client.upload(file)
      expect([size, sha256(await stored(emulator))]).toEqual([bytes.length, sha256(bytes)])
      await client.upload(new Blob([bytes as Uint8Array<ArrayBuffer>]))
      await client.upload(new Uint8Array(bytes))
      expect((await client.list()).data).toHaveLength(3)
      expect((await client.show(slug)).slug).toBe(slug)
      await client.delete(slug)
      await expect(client.show(slug)).rejects.toMatchObject({ code: 'not-found' })
      // The global fetch keeps the connection of an aborted upload for a while.
      if (name !== 'the global fetch') {
        const controller = new AbortController()
        const onProgress = ({ sent }: { readonly sent: number }) => sent > 300_000 && controller.abort()
        const uploading = client.upload(file, { signal: controller.signal, onProgress })
        await expect(uploading).rejects.toMatchObject({ name: 'AbortError' })
      }
      expect((await client.stats()).uploads).toBe(2)
    },
  )
}
