import { expect, test } from 'vitest'
import { toEventStream } from '../../../../emulator/control/http/event-stream.ts'
import { streamRequests } from '../../../../emulator/control/request-stream.ts'
import { openMemoryStorage } from '../../../../emulator/storage/open.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'
import { emulated, send } from '../emulated.ts'
import { request as logged } from '../storage/records.ts'

const feedOf = () => openMemoryStorage().records.requests
const everything = () => true
const settled = async () => {}

test('the request stream delivers matching requests as they are logged', async () => {
  const emulator = await emulated()
  const stream = emulator.control.requests.stream({ status: 404 })
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/api/uploads/none')
  expect(await stream.next()).toMatchObject({ value: { event: 'request', request: { endpoint: '/api/uploads/none' } } })
  const next = stream.next()
  await send(emulator, 'DELETE', '/api/uploads/none')
  expect(await next).toMatchObject({ value: { request: { method: 'DELETE', status: 404 } } })
  await stream.return()
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(() => emulator.control.requests.stream({ status: -1 })).toThrow(/status takes/)
})

test('a slow reader of the request stream gets the number of requests it missed, and its buffer is bounded', async () => {
  const feed = feedOf()
  const stream = streamRequests({ feed, matches: everything, signal: undefined, flushed: settled })
  for (let count = 0; count < 10_007; count += 1) feed.append(logged())
  for (let count = 0; count < 10_000; count += 1) expect((await stream.next()).value?.event).toBe('request')
  expect((await stream.next()).value).toEqual({ event: 'missed', count: 7 })
})

test('an idle event stream sends heartbeats', async () => {
  const feed = feedOf()
  const events = toEventStream(streamRequests({ feed, matches: everything, signal: undefined, flushed: settled }), 10)
  const texts: string[] = []
  for await (const chunk of events) {
    texts.push(String(chunk))
    if (texts.length === 3) feed.append(logged())
    if (texts.length === 4) break
  }
  expect(texts).toEqual([
    ': requests from now on\n\n',
    ': still here\n\n',
    ': still here\n\n',
    expect.stringMatching(/^event: request\ndata: \{"number":1,"method":"GET".*\}\n\n$/),
  ])
})

test('a client on a socket receives each request as an event, and once it disconnects the emulator closes at once', async () => {
  const emulator = await emulated()
  const { baseUrl } = await emulator.listen()
  const leaving = new AbortController()
  const url = `${baseUrl}/_emulator/requests/stream?path=/api/stats`
  const { headers, body } = await fetch(url, { signal: leaving.signal })
  expect(headers.get('Content-Type')).toBe('text/event-stream')
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()
  for (const path of ['/api/uploads', '/api/stats']) await send(emulator, 'GET', path)
  let heard = ''
  while (!heard.endsWith('\n\n')) heard += (await reader?.read())?.value
  expect(JSON.parse(heard.slice(heard.indexOf('{')))).toEqual(emulator.control.requests.list().requests[1])
  reader?.closed.catch(() => {})
  leaving.abort()
  // Fails unless the client's disconnection was noticed: the grace of open connections never ends here.
  fakeTimers('setTimeout')
  await emulator.close()
})

test('closing the emulator ends open event streams, and a HEAD opens none', async () => {
  const emulator = await emulated()
  const url = 'http://h/_emulator/requests/stream'
  const response = await emulator.fetch(new Request(url))
  const text = response.text()
  expect((await emulator.fetch(new Request(url, { method: 'HEAD' }))).status).toBe(200)
  await send(emulator, 'GET', '/api/stats')
  await emulator.close()
  expect(await text).toMatch(/^: .*\n\nevent: request\ndata: .*\n\n$/)
})
