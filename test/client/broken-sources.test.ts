import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { transports } from './every-transport.ts'

const head = { 'content-length': '600000' }
const brokenOffAfter =
  (bytes: number): Step =>
  (_, response) => {
    response.writeHead(200, head)
    response.write(jpegBytes(600_000).subarray(0, bytes), () => setImmediate(() => response.destroy()))
  }
const whole: Step = (_, response) => void response.writeHead(200, head).end(jpegBytes(600_000))

// The type is known by the first 4,100 bytes.
test.each([1, 4_000, 5_000, 300_000, 599_999])(
  'a file at a URL is fetched again where the site breaks off after %i bytes, within the retries',
  async (bytes) => {
    const stored = answer(201, { upload: uploadObject })
    const { client, server } = await scriptedClient([stored], { retry: { retries: 2 }, pacing: false })
    const once = await scriptedServer(brokenOffAfter(bytes), whole)
    await client.upload(new URL('/cat.jpg', once.baseUrl))
    expect(once.requests).toHaveLength(2)
    expect(server.requests.at(-1)?.body.length).toBeGreaterThan(600_000)
    const always = await scriptedServer(brokenOffAfter(bytes))
    const failed = client.upload(new URL('/cat.jpg', always.baseUrl))
    const message = expect.stringMatching(/^GET http.*cat\.jpg broke off: /)
    await expect(failed).rejects.toMatchObject({ code: 'source-unreadable', message })
    expect(always.requests).toHaveLength(3)
  },
)

const torn = new Error('the tape is torn')

async function* breaking(error: unknown) {
  yield jpegBytes(100_000)
  throw error
}

const nameless = () => {
  let isBegun = false
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isBegun) controller.error()
      else controller.enqueue(jpegBytes(100))
      isBegun = true
    },
  })
}

test.each(transports)(
  'a stream that fails is an unreadable source over %s, with its error as the cause or without a reason, and not stored',
  async (_, create) => {
    const emulator = await createEmulator()
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    await using client = createClient({ baseUrl, apiKey: emulator.apiKey, transport: create() })
    await expect(client.upload({ stream: breaking(torn), name: 'tape.jpg' })).rejects.toMatchObject({
      code: 'source-unreadable',
      message: 'tape.jpg cannot be read: the tape is torn',
      cause: torn,
    })
    const message = expect.stringContaining('failed without a reason')
    for (const source of [nameless(), breaking(undefined)]) {
      await expect(client.upload(source)).rejects.toMatchObject({ code: 'source-unreadable', message })
    }
    expect(emulator.control.health().uploads).toBe(0)
  },
)

test('a request body that fails is a TypeError of emulator.fetch, with the error as its cause', async () => {
  const emulator = await createEmulator({ settings: { thumbnail: 'never' } })
  const sent = { method: 'POST', body: ReadableStream.from(breaking(torn)), duplex: 'half' } as RequestInit
  const headers = { 'x-api-key': emulator.apiKey, 'content-type': 'multipart/form-data; boundary=b' }
  const failed = await emulator.fetch('http://localhost/api/upload', { ...sent, headers }).catch((thrown) => thrown)
  expect([failed instanceof TypeError, failed.cause]).toEqual([true, torn])
  await emulator.close()
})
