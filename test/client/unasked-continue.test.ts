import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createClient, nodeTransport, type Transport } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { opened, transports } from './every-transport.ts'

const asJson = (status: string, value: unknown) => {
  const text = JSON.stringify(value)
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}
const isWhole = (text: string) => {
  const end = text.indexOf('\r\n\r\n')
  return end >= 0 && text.length >= end + 4 + Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0)
}
const stored = asJson('201 Created', { upload: uploadObject })
const empty = asJson('200 OK', { data: [], current_page: 1, last_page: 1, per_page: 50, total: 0 })

/** Sends an unrequested `100 Continue` after the headers or after the whole request. The list stays empty. */
async function eagerServer(after: 'headers' | 'body') {
  const requests: string[] = []
  const server = createServer((socket) => {
    let text = ''
    const goOn = () => socket.write('HTTP/1.1 100 Continue\r\n\r\n')
    if (after === 'headers') socket.once('data', goOn)
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1')
      if (!isWhole(text)) return
      const method = text.slice(0, text.indexOf(' '))
      requests.push(method)
      text = ''
      if (method === 'GET') return void socket.write(empty)
      if (after === 'body') goOn()
      socket.write(stored)
    })
  })
  return { baseUrl: `http://127.0.0.1:${await listening(server)}`, requests }
}

function clientOf(baseUrl: string, transport: Transport) {
  return createClient({
    baseUrl,
    apiKey: 'secret-key',
    transport: opened(transport),
    clock: instantClock(),
    pacing: false,
  })
}

test.each(['headers', 'body'] as const)(
  'the node transport accepts an unrequested 100 Continue after the %s of an upload',
  async (after) => {
    const { baseUrl, requests } = await eagerServer(after)
    const upload = await clientOf(baseUrl, nodeTransport()).upload(jpegBytes(100_000))
    expect(upload.slug).toBe(uploadObject.slug)
    expect(requests).toEqual(['POST'])
  },
)

test.each(transports.filter(([name]) => name !== 'node'))(
  'an upload over the %s transport that gets an unrequested 100 Continue fails after one POST and one reading of the list',
  async (_, create) => {
    const { baseUrl, requests } = await eagerServer('body')
    await expect(clientOf(baseUrl, create()).upload(jpegBytes(1_000))).rejects.toMatchObject({
      code: 'connection-failed',
      message: expect.stringContaining('the server sent 100 Continue unasked'),
      hint: expect.stringMatching(/^Trying again will not help: /),
    })
    expect(requests.filter((method) => method === 'POST')).toHaveLength(1)
    expect(requests).toContain('GET')
  },
)
