import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import http, { OutgoingMessage } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient, nodeTransport } from '../../src/index.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const content = Buffer.concat([jpegBytes(100), randomBytes(12_000_000)])

/** Uploads the content to a server that reads late, when what it was sent has filled all buffers. */
async function receivedBySlowServer(): Promise<Buffer> {
  const received: Buffer[] = []
  const server = http.createServer((request, response) => {
    request.pause()
    setTimeout(() => request.resume(), 50)
    request.on('data', (chunk) => received.push(chunk))
    request.on('end', () => response.writeHead(201).end(JSON.stringify({ upload: uploadObject })))
  })
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${await listening(server)}`
  const path = join(temporaryFolder(), 'photo.jpg')
  writeFileSync(path, content)
  await using client = createClient({ baseUrl, apiKey: 'key', transport: nodeTransport(), pacing: false })
  await client.upload(path)
  return Buffer.concat(received)
}

test('no byte leaves in the place of another while the memory of a file is used again', async () => {
  expect((await receivedBySlowServer()).includes(content)).toBe(true)
})

test('a tool that records what is written may keep it', async () => {
  const kept: Buffer[] = []
  const { write } = OutgoingMessage.prototype
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(http.ClientRequest.prototype, 'write').mockImplementation(function (this: OutgoingMessage, ...given) {
    if (given[0] instanceof Uint8Array) kept.push(given[0] as Buffer)
    return write.apply(this, given as unknown as Parameters<typeof write>)
  })
  await receivedBySlowServer()
  expect(Buffer.concat(kept).includes(content)).toBe(true)
})
