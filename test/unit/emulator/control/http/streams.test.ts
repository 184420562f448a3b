import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toJsonStream } from '../../../../../emulator/control/http/json-stream.ts'
import { createStreams, mostEventStreams } from '../../../../../emulator/control/http/streams.ts'
import type { HttpRequest } from '../../../../../emulator/http.ts'
import type { Snapshot } from '../../../../../emulator/state/snapshot.ts'
import { emulated } from '../../emulated.ts'

const body = { async *[Symbol.asyncIterator]() {} }

/** A request over a socket, and how its client leaves. */
function overSocket() {
  const client = new AbortController()
  const base = {
    method: 'GET',
    url: '/_emulator/state',
    origin: 'http://localhost',
    headers: {},
    clientIp: '::1',
    body,
  }
  const request: HttpRequest = { ...base, localPort: 4_884, clientGone: () => client.signal }
  return { request, leave: () => client.abort() }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read).toString()
}

test.each([
  { a: 'é'.repeat(100_000), b: ['x', undefined, { c: '🎉'.repeat(50_001), d: undefined }], e: {}, f: [], g: null },
  { emoji: `x${'🎉'.repeat(40_000)}`, quotes: '"\\\n'.repeat(30_000), deep: { deeper: { deepest: [[1, { a: 2 }]] } } },
])('a stream of JSON has the same value as the text, in chunks', async (value) => {
  const text = await textOf(toJsonStream(value))
  expect(JSON.stringify(JSON.parse(text)) === JSON.stringify(value)).toBe(true)
  let chunks = 0
  for await (const chunk of toJsonStream(value)) chunks += chunk.length > 0 ? 1 : 0
  expect(chunks).toBeGreaterThan(1)
})

test('one snapshot is made and sent at a time: the next follows when it is read, or its client has left', async () => {
  let made = 0
  const streams = createStreams({
    async get() {
      made += 1
      return { format: 'filehost-emulator' } as Snapshot
    },
  })
  const clients = [overSocket(), overSocket(), overSocket(), overSocket()]
  const sent = clients.map(({ request }) => streams.snapshot(request))
  const impatient = expect(sent[2]).rejects.toThrow('disconnected')
  await nextTurn()
  expect(made).toBe(1)
  clients[2]?.leave()
  await impatient
  expect(await textOf((await sent[0]) ?? body)).toBe('{"format":"filehost-emulator"}')
  await sent[1]
  expect(made).toBe(2)
  clients[1]?.leave()
  await sent[3]
  expect(made).toBe(3)
})

test('in the same process a snapshot that is never read holds up no other', async () => {
  const emulator = await emulated()
  await emulator.fetch('http://h/_emulator/state')
  expect((await emulator.fetch('http://h/_emulator/state')).status).toBe(200)
})

test('beyond 50 streams of events, those with a wrong filter not counted, the control API answers 503, until one ends', async () => {
  const emulator = await emulated()
  const clients: AbortController[] = []
  const open = () => {
    const client = new AbortController()
    clients.push(client)
    return emulator.fetch('http://h/_emulator/requests/stream', { signal: client.signal })
  }
  const wrong = () => emulator.fetch('http://h/_emulator/requests/stream?status=x')
  for (let at = 0; at <= mostEventStreams; at += 1) expect((await wrong()).status).toBe(422)
  const opened = await Promise.all(Array.from({ length: mostEventStreams }, open))
  expect(opened.every(({ status }) => status === 200)).toBe(true)
  const refused = await open()
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '2'])
  expect(await refused.json()).toMatchObject({ error: { code: 'too-many-streams' } })
  expect((await emulator.fetch('http://h/_emulator/requests/stream', { method: 'HEAD' })).status).toBe(200)
  expect((await wrong()).status).toBe(503)
  clients[0]?.abort()
  expect((await emulator.fetch('http://h/_emulator/requests/stream')).status).toBe(200)
})
