import { expect, onTestFinished, test } from 'vitest'
import type { Emulator } from '../../../../../emulator/index.ts'
import { emulated, send } from '../../emulated.ts'

interface Event {
  readonly event: string
  readonly id: number
  readonly data: string
}

/** Reads the stream of events until one is as wanted; all that came. */
async function eventsUntil(
  { fetch }: Emulator,
  query: string,
  isLast: (event: Event) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly Event[]> {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(`http://h/_emulator/events${query}`, { headers, signal: leaving.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    const events = parse(text)
    if (events.some(isLast)) return events
  }
  return parse(text)
}

function parse(text: string): readonly Event[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const value = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
      return { event: value('event'), id: Number(value('id')), data: value('data') }
    })
}

const rowIds = (events: readonly Event[]) => events.flatMap(({ event, id }) => (event === 'request' ? [id] : []))

test('the stream brings what came after a number, each request once, then what comes', async () => {
  const emulator = await emulated()
  for (let at = 1; at <= 3; at += 1) await send(emulator, 'GET', `/api/${at}`)
  const coming = eventsUntil(emulator, '?path=/api/*&after=1&era=0', ({ id }) => id === 5)
  await send(emulator, 'GET', '/api/4')
  await send(emulator, 'GET', '/api/5')
  const events = await coming
  expect(rowIds(events)).toEqual([2, 3, 4, 5])
  expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({ run: expect.any(String), era: 0 })
  const row = events.find(({ id }) => id === 4)?.data
  expect(JSON.parse(row ?? '')).toEqual(emulator.control.requests.list().requests[3])
  expect(events.findLast(({ event }) => event === 'tally')?.data).toMatch(
    /^\{"matched":([45]),"kept":\1,"dropped":0\}$/,
  )
})

test('a broken stream continues after the last event that came, also if its address names another', async () => {
  const emulator = await emulated()
  for (let at = 1; at <= 4; at += 1) await send(emulator, 'GET', `/api/${at}`)
  const events = await eventsUntil(emulator, '?after=0', ({ id }) => id === 4, { 'Last-Event-ID': '2' })
  expect(rowIds(events)).toEqual([3, 4])
})

test('the stream has what the filter matches, counts it, and refuses a filter that it cannot use', async () => {
  const emulator = await emulated()
  await emulator.fetch('/api/none')
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/api/nothing')
  const events = await eventsUntil(emulator, '?status=4xx', ({ id }) => id === 3)
  expect(rowIds(events)).toEqual([1, 3])
  expect(events.find(({ event }) => event === 'tally')?.data).toBe('{"matched":2,"kept":3,"dropped":0}')
  expect((await emulator.fetch('http://h/_emulator/events?status=teapot')).status).toBe(422)
})

test.each([
  ['was cleared', '?after=2&era=0', (emulator: Emulator) => emulator.control.requests.clear()],
  ['has no request with the number yet', '?after=9', () => {}],
])('the stream says reset and ends where the log %s', async (_, query, happen) => {
  const emulator = await emulated()
  for (let at = 1; at <= 2; at += 1) await send(emulator, 'GET', `/api/${at}`)
  emulator.control.requests.list()
  await happen(emulator)
  const events = await eventsUntil(emulator, query, () => false)
  expect(events.map(({ event }) => event)).toContain('reset')
})

test('a log that is cleared while the stream is open resets it', async () => {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/1')
  const isOpen = ({ event }: Event) => event === 'tally'
  await eventsUntil(emulator, '', isOpen)
  const coming = eventsUntil(emulator, '?after=1&era=0', () => false)
  await emulator.control.reset()
  expect((await coming).map(({ event }) => event)).toContain('reset')
})

test('of 1,000 requests at once a page gets the newest 200 and how many are missing', async () => {
  const emulator = await emulated()
  for (let at = 0; at < 1_000; at += 1) await send(emulator, 'GET', '/api/stats')
  const events = await eventsUntil(emulator, '?after=0', ({ id }) => id === 1_000)
  expect(rowIds(events)).toEqual(Array.from({ length: 200 }, (_, at) => 801 + at))
  expect(events.find(({ event }) => event === 'missed')?.data).toBe('800')
})

test('what changes comes once, and not while it stands: quotas, clock, faults, settings, accounts, state', async () => {
  const emulator = await emulated({ quotas: { minute: 20, burst: null, hour: null, day: null } })
  const opened = await eventsUntil(emulator, '?find=example', ({ event }) => event === 'accounts')
  expect(opened.map(({ event }) => event)).toEqual([
    ...['start', 'tally', 'clock', 'faults', 'settings', 'state', 'connection', 'quota', 'accounts'],
  ])
  const isUsed = (units: number) => (event: Event) =>
    event.event === 'quota' && JSON.parse(event.data).windows.minute.used === units
  const coming = eventsUntil(emulator, '', isUsed(1))
  await send(emulator, 'GET', '/api/stats')
  await coming
  const drained = eventsUntil(emulator, '', isUsed(0))
  await emulator.control.clock.advance('60s')
  const events = await drained
  expect(events.filter(({ event }) => event === 'quota').length).toBeLessThanOrEqual(2)
  expect(events.filter(({ event }) => event === 'settings')).toHaveLength(1)
})

test('accounts come ten at a time, and are found by email and number', async () => {
  const emulator = await emulated()
  for (let count = 2; count <= 13; count += 1) emulator.control.accounts.create({ email: `a${count}@example.org` })
  const accounts = async (query: string) => {
    const events = await eventsUntil(emulator, query, ({ event }) => event === 'accounts')
    return JSON.parse(events.find(({ event }) => event === 'accounts')?.data ?? '')
  }
  expect(await accounts('')).toMatchObject({ from: 0, found: 13, all: 13, accounts: { length: 10 } })
  expect(await accounts('?accounts_from=10')).toMatchObject({
    from: 10,
    accounts: [{ id: 11 }, { id: 12 }, { id: 13 }],
  })
  expect(await accounts('?find=A12%40')).toMatchObject({ found: 1, accounts: [{ id: 12 }] })
})

test('beyond 50 streams a page gets what is new at once, and asks again after two seconds where that ended', async () => {
  const emulator = await emulated()
  const url = 'http://h/_emulator/events'
  await Promise.all(Array.from({ length: 50 }, () => emulator.fetch(url)))
  await send(emulator, 'GET', '/api/1')
  await send(emulator, 'GET', '/api/2')
  const answer = await emulator.fetch(`${url}?after=0`, { headers: { 'Last-Event-ID': '1' } })
  const text = await answer.text()
  expect(text).toContain('retry: 2000\n')
  const events = parse(text.replace('retry: 2000\n', ''))
  expect(events.slice(0, 2).map(({ event }) => event)).toEqual(['start', 'polling'])
  expect(rowIds(events)).toEqual([2])
  expect(events.map(({ event }) => event)).toContain('quota')
})
