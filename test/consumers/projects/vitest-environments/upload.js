import { createHash } from 'node:crypto'
import { createClient, fetchTransport } from 'filehost'
import { createEmulator } from 'filehost/emulator'
import { expect, test } from 'vitest'

const bytes = Buffer.alloc(600_000, 7)
bytes.write('GIF89a')
const sha256 = (content) => createHash('sha256').update(Buffer.from(content)).digest('hex')
const headers = { 'X-API-Key': 'test-key' }

test('uploads arrive byte for byte: by init, by Request and by the client', async () => {
  const emulator = await createEmulator({ apiKey: 'test-key', quotas: 'none' })
  const file = () => new File([bytes], 'picture.gif', { type: 'image/gif' })
  const form = () => {
    const data = new FormData()
    data.append('file', file())
    return data
  }
  const init = { method: 'POST', headers }
  const answers = [await emulator.fetch('/api/upload', { ...init, body: form() })]
  // Under jsdom the Request is Node's own, which takes no file of jsdom's FormData.
  if (!globalThis.navigator?.userAgent?.includes('jsdom')) {
    const request = new Request('http://files.example/api/upload', { ...init, body: form() })
    answers.push(await emulator.fetch(request))
  }
  for (const answer of answers) expect(answer).toBeInstanceOf(Response)
  const transport = fetchTransport(emulator.fetch)
  const client = createClient({ baseUrl: 'https://files.example', apiKey: 'test-key', transport })
  const uploads = [await client.upload(file())]
  for (const answer of answers) uploads.push((await answer.json()).upload)
  for (const { direct_url } of uploads) {
    expect(sha256(await (await emulator.fetch(direct_url)).arrayBuffer())).toBe(sha256(bytes))
  }
  await client.close()
  await emulator.close()
})
