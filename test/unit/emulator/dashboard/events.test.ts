import { expect, onTestFinished, test } from 'vitest'
import { createRequestJournal, type RequestJournal } from '../../../../emulator/control/request-journal.ts'
import { requestEvents } from '../../../../emulator/dashboard/requests/request-events.ts'
import type { View } from '../../../../emulator/dashboard/section.ts'
import type { Emulator } from '../../../../emulator/index.ts'
import type { RequestRecord } from '../../../../emulator/storage/records.ts'
import { emulated, send } from '../emulated.ts'
import { page } from './looking.ts'

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
  const response = await fetch(`http://h/_emulator/ui/events${query}`, { headers, signal: leaving.signal })
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
      return { event: value('event'), id: Number(value('id')), data: String(JSON.parse(value('data'))) }
    })
}

const rowIds = (events: readonly Event[]) => events.flatMap(({ event, id }) => (event === 'request' ? [id] : []))

test('the stream brings what came after the page was made, each row once, then what comes', async () => {
  const emulator = await emulated()
  for (let at = 1; at <= 3; at += 1) await send(emulator, 'GET', `/api/${at}`)
  const coming = eventsUntil(emulator, '?path=/api/*&after=1&era=0', ({ id }) => id === 5)
  await send(emulator, 'GET', '/api/4')
  await send(emulator, 'GET', '/api/5')
  const events = await coming
  expect(rowIds(events)).toEqual([2, 3, 4, 5])
  expect(events[0]?.event).toBe('start')
  expect((await page(emulator)).includes(`data-start="${events[0]?.data}"`)).toBe(true)
  const row = events.find(({ id }) => id === 4)?.data
  expect(row).toContain('<a href="?path=/api/*&amp;request=4#request">')
  expect(events.findLast(({ event }) => event === 'tally')?.data).toMatch(/^([45]) of \1 requests$/)
})

test('a broken stream continues after the last event that came, also if its address names another', async () => {
  const emulator = await emulated()
  for (let at = 1; at <= 4; at += 1) await send(emulator, 'GET', `/api/${at}`)
  const events = await eventsUntil(emulator, '?after=0', ({ id }) => id === 4, { 'Last-Event-ID': '2' })
  expect(rowIds(events)).toEqual([3, 4])
})

test('the stream has what the page’s filter matches, and counts it', async () => {
  const emulator = await emulated()
  await emulator.fetch('/api/none')
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/api/nothing')
  const events = await eventsUntil(emulator, '?status=404', ({ id }) => id === 3)
  expect(rowIds(events)).toEqual([1, 3])
  expect(events.find(({ event }) => event === 'tally')?.data).toBe('2 of 3 requests')
})

test.each([
  ['was cleared', '?after=2&era=0', (emulator: Emulator) => emulator.control.requests.clear()],
  ['has no request with the number yet', '?after=9', () => {}],
])('the stream says reset and ends where the log %s', async (_, query, happen) => {
  const emulator = await emulated()
  for (let at = 1; at <= 2; at += 1) await send(emulator, 'GET', `/api/${at}`)
  await page(emulator)
  await happen(emulator)
  const events = await eventsUntil(emulator, query, () => false)
  expect(events.map(({ event }) => event)).toContain('reset')
})

test('a log that is cleared while the page is open resets it', async () => {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/1')
  const coming = eventsUntil(emulator, '?after=1&era=0', () => false)
  await new Promise((resolve) => setTimeout(resolve, 150))
  await emulator.control.reset()
  expect((await coming).map(({ event }) => event)).toContain('reset')
})

test('of 1,000 requests at once the page gets the newest 200 and how many are missing', async () => {
  const emulator = await emulated()
  await page(emulator)
  for (let at = 0; at < 1_000; at += 1) await send(emulator, 'GET', '/api/stats')
  const events = await eventsUntil(emulator, '?after=0', ({ id }) => id === 1_000)
  expect(rowIds(events)).toEqual(Array.from({ length: 200 }, (_, at) => 801 + at))
  expect(events.find(({ event }) => event === 'missed')?.data).toBe('800')
})

test('quota gauges come by events: after a charge, and when the clock moves, not while it stands', async () => {
  const emulator = await emulated({ quotas: { minute: 20, burst: null, hour: null, day: null } })
  const charged = ({ event, data }: Event) => event === 'quota' && data.includes('1 of 20, 19 left, back at 14:01:00')
  const coming = eventsUntil(emulator, '', charged)
  await send(emulator, 'GET', '/api/stats')
  await coming
  const drained = eventsUntil(
    emulator,
    '',
    ({ event, data }) => event === 'quota' && data.includes('0 of 20, 20 left<'),
  )
  await emulator.control.clock.advance('60s')
  expect((await drained).filter(({ event }) => event === 'quota').length).toBeLessThanOrEqual(2)
})

test('a stream that is open does not hold up the end of the emulator', async () => {
  const emulator = await emulated()
  const response = await emulator.fetch('http://h/_emulator/ui/events')
  const reading = response.text()
  await emulator.close()
  expect(await reading).toContain('event: start')
})

test('beyond 50 streams a page gets what is new at once, and asks again after two seconds where that ended', async () => {
  const emulator = await emulated()
  const url = 'http://h/_emulator/ui/events'
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

test('a page that opens beside a long log looks at no more of it than it keeps, and is told how many there are', async () => {
  const { control } = await emulated()
  const request = { method: 'GET', endpoint: '/api/stats', status: 200, clientIp: '::1', at: 0, cost: 1, accountId: 1 }
  const log = Array.from({ length: 5_000 }, () => ({ ...request }) as RequestRecord)
  const journal = createRequestJournal({ all: () => log, dropped: () => 0, subscribe: () => () => {} })
  let looked = 0
  const counting: RequestJournal = {
    ...journal,
    *before(number) {
      for (const entry of journal.before(number)) {
        looked += 1
        yield entry
      }
    },
  }
  const view = { control, journal: counting, query: new URLSearchParams() } as unknown as View
  const { text, rows } = requestEvents(view, 0).next()
  expect([rows, looked]).toEqual([200, 201])
  expect(text).toContain('event: missed\ndata: 4800\n')
})
