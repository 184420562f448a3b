/** @jest-environment jsdom */
import { createClient, nodeTransport } from 'filehost'
import { createEmulator } from 'filehost/emulator'

const picture = () => new File(['GIF89a'], 'picture.gif', { type: 'image/gif' })
let emulator
let baseUrl

beforeAll(async () => {
  emulator = await createEmulator({ apiKey: 'test-key', quotas: 'none' })
  baseUrl = (await emulator.listen()).baseUrl
})

afterAll(() => emulator.close())

test('a page uploads with XMLHttpRequest', async () => {
  const form = new FormData()
  form.append('file', picture())
  const request = new XMLHttpRequest()
  request.open('POST', `${baseUrl}/api/upload`)
  request.setRequestHeader('X-Api-Key', 'test-key')
  await new Promise((resolve) => {
    request.onloadend = resolve
    request.send(form)
  })
  expect([request.status, JSON.parse(request.responseText).upload.size]).toEqual([201, 6])
})

test('a client uploads a File of jsdom', async () => {
  const client = createClient({ baseUrl, apiKey: 'test-key', transport: nodeTransport() })
  expect((await client.upload(picture())).size).toBe(6)
  await client.close()
})
