import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'

const head = { 'content-length': '600000' }
const cut: Step = (_, response) => {
  response.writeHead(200, head)
  response.write(jpegBytes(300_000), () => setImmediate(() => response.destroy()))
}
const whole: Step = (_, response) => void response.writeHead(200, head).end(jpegBytes(600_000))

test('a file at a URL is fetched again where the site breaks off in the middle, within the retries', async () => {
  const stored = answer(201, { upload: uploadObject })
  const { client, server } = await scriptedClient([stored], { retry: { retries: 2 } })
  const once = await scriptedServer(cut, whole)
  await client.upload(new URL('/cat.jpg', once.baseUrl))
  expect(once.requests).toHaveLength(2)
  expect(server.requests.at(-1)?.body.length).toBeGreaterThan(600_000)
  const always = await scriptedServer(cut)
  const failed = client.upload(new URL('/cat.jpg', always.baseUrl))
  await expect(failed).rejects.toMatchObject({
    code: 'source-unreadable',
    message: expect.stringMatching(/cat\.jpg broke off: /),
  })
  expect(always.requests.length).toBeGreaterThan(2)
})

async function* breaking(error: unknown) {
  yield jpegBytes(100_000)
  throw error
}

test('a stream that fails is an unreadable source, with the error as its cause', async () => {
  const { client, stored } = await inProcessClient({})
  const error = new Error('the tape is torn')
  await expect(client.upload({ stream: breaking(error), name: 'tape.jpg' })).rejects.toMatchObject({
    code: 'source-unreadable',
    message: 'tape.jpg cannot be read: the tape is torn',
    cause: error,
  })
  expect(await stored()).toEqual([])
})

test('a request body that fails is a TypeError of emulator.fetch, with the error as its cause', async () => {
  const emulator = await createEmulator({ settings: { thumbnail: 'never' } })
  const error = new Error('the tape is torn')
  const sent = { method: 'POST', body: ReadableStream.from(breaking(error)), duplex: 'half' } as RequestInit
  const headers = { 'x-api-key': emulator.apiKey, 'content-type': 'multipart/form-data; boundary=b' }
  const failed = await emulator.fetch('http://localhost/api/upload', { ...sent, headers }).catch((thrown) => thrown)
  expect(failed).toBeInstanceOf(TypeError)
  expect(failed.cause).toBe(error)
  await emulator.close()
})

test('a file of multer is refused with the way to pass it on', async () => {
  const { client } = await inProcessClient({})
  const file = { fieldname: 'file', originalname: 'a.jpg', mimetype: 'image/jpeg', buffer: Buffer.from(jpegBytes(9)) }
  await expect(client.upload(file as never)).rejects.toThrow(/pass new File\(\[buffer\], name\)$/)
})
