import { expect, test } from 'vitest'
import { createStreams } from '../../../../emulator/control/http/streams.ts'
import { createRequestJournal } from '../../../../emulator/control/request-journal.ts'
import { createLateDashboard } from '../../../../emulator/dashboard/late-dashboard.ts'
import type { Emulator } from '../../../../emulator/index.ts'
import type { RequestRecord } from '../../../../emulator/storage/records.ts'
import { emulated, send } from '../emulated.ts'
import { noAccounts, page } from './looking.ts'

/** The cells of the list's rows as text, newest first. */
function rowsOf(html: string): readonly (readonly string[])[] {
  const body = /<table id="log"[^>]*>.*?<tbody>(.*?)<\/tbody>/s.exec(html)?.[1] ?? ''
  return body
    .split('<tr')
    .slice(1)
    .map((row) =>
      row
        .split('<td>')
        .slice(1)
        .map((cell) => cell.replace(/<[^>]*>/g, '')),
    )
}

const pathsOf = (html: string) => rowsOf(html).map(([, , , path]) => path)
const whyOf = (html: string) => /<p class="why[^>]*>(.*?)<\/p>/.exec(html)?.[1]
const tallyOf = (html: string) => /id="tally">([^<]*)</.exec(html)?.[1]

async function withTraffic(): Promise<Emulator> {
  const emulator = await emulated()
  const other = emulator.control.accounts.create()
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/api/uploads', { headers: { 'X-Api-Key': other.api_key } })
  await send(emulator, 'DELETE', '/api/uploads/none')
  emulator.control.faults.add({ times: 1, action: { type: 'status', status: 503 } })
  await send(emulator, 'GET', '/api/uploads')
  await emulator.fetch('/api/stats')
  return emulator
}

test('the list has the newest 50 requests, newest first, in the service’s time, and says how many there are', async () => {
  const emulator = await emulated()
  for (let at = 1; at <= 52; at += 1) await send(emulator, 'GET', `/api/${at}`)
  const html = await page(emulator)
  expect(pathsOf(html)).toEqual(Array.from({ length: 50 }, (_, at) => `/api/${52 - at}`))
  expect(rowsOf(html)[0]?.[0]).toMatch(/^14:00:00\.\d{3}$/)
  expect(tallyOf(html)).toBe('52 requests')
})

test.each([
  ['method=get', ['/api/stats', '/api/uploads', '/api/uploads', '/api/stats']],
  ['status=404', ['/api/uploads/none']],
  ['status=4xx', ['/api/stats', '/api/uploads/none']],
  ['path=/api/up*', ['/api/uploads', '/api/uploads/none', '/api/uploads']],
  ['account_id=2', ['/api/uploads']],
  ['account_id=none', ['/api/stats']],
  ['refused=1', ['/api/stats', '/api/uploads/none']],
  ['fault=any', ['/api/uploads']],
  ['fault=1', ['/api/uploads']],
  ['fault=2', []],
  ['method=GET&status=2XX&path=*stats', ['/api/stats']],
])('the filter %s lists %j', async (query, paths) => {
  const html = await page(await withTraffic(), `?${query}`)
  expect(pathsOf(html)).toEqual(paths)
  expect(tallyOf(html)).toBe(`${paths.length} of 5 requests`)
})

test.each([
  ['status=teapot', 'filter-status-problem'],
  ['path=uploads', 'filter-path-problem'],
  ['account_id=me', 'filter-account_id-problem'],
])('a filter that cannot be used, %s, is named beside its field, kept, and excludes nothing', async (query, id) => {
  const html = await page(await withTraffic(), `?${query}`)
  expect([html.includes(`id="${id}"`), rowsOf(html).length]).toEqual([true, 5])
  expect(html).toContain(`value="${query.split('=')[1]}"`)
})

test('an empty log and a filter that nothing matches have different texts, with what to do', async () => {
  const emulator = await emulated()
  const empty = await page(emulator)
  expect(empty).toContain('No requests yet')
  expect(empty).toContain(`curl -H 'X-Api-Key: ${emulator.apiKey}' http://h/api/stats`)
  const filtered = await page(await withTraffic(), '?status=500&settings=changed')
  expect(filtered).toContain('No request matches the filter')
  expect(filtered).toMatch(/<a class="button" href="\?settings=changed#requests">Clear filter</)
})

test('the first line of a request says which window was full, how full, and when it fits', async () => {
  const emulator = await emulated({ quotas: { minute: 5, burst: null, hour: null, day: null } })
  for (let times = 1; times <= 4; times += 1) await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'DELETE', '/api/uploads/none')
  expect(whyOf(await page(emulator, '?request=5'))).toBe(
    '429: minute window full, 4 of 5 used, 3 needed; fits at 14:01:00',
  )
  emulator.control.settings.update({ quotas: { minute: 2 } })
  await send(emulator, 'DELETE', '/api/uploads/none')
  expect(whyOf(await page(emulator, '?request=6'))).toBe(
    '429: minute window full, 4 of 2 used, 3 needed; it never fits',
  )
})

test('the first line of a request says why it was refused, for every reason', async () => {
  const emulator = await emulated()
  const { control } = emulator
  await emulator.fetch('/api/stats')
  await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })
  control.accounts.update(1, { suspended: true, suspension_reason: '<i>spam</i>' })
  await send(emulator, 'GET', '/api/stats')
  control.accounts.update(1, { suspended: false, ip_allowlist: ['10.0.0.0/8'] })
  await send(emulator, 'GET', '/api/stats')
  control.accounts.update(1, { ip_allowlist: [] })
  control.faults.add({ times: 1, action: { type: 'status', status: 418 } })
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'DELETE', '/api/uploads/none')
  control.settings.update({ api_enabled: false })
  await send(emulator, 'GET', '/api/stats')
  const pages = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((number) => page(emulator, `?request=${number}`)))
  expect(pages.map(whyOf)).toEqual([
    '401: no key was sent',
    '401: no account has this key',
    '403: account 1 is suspended: &lt;i&gt;spam&lt;/i&gt;',
    '403: 127.0.0.1 is not on the allowlist of account 1',
    '418: fault 1 struck (status)',
    '404: the account has no such upload',
    '503: the API is disabled for everyone (setting api_enabled)',
  ])
})

test('a request shows what was charged, where its key was, its file, and what good manners ask', async () => {
  const emulator = await emulated()
  const form = new FormData()
  form.set('file', new File([new Uint8Array(30)], '<b>.png'))
  await emulator.fetch(`/api/upload?api_key=${emulator.apiKey}`, { method: 'POST', body: form })
  const html = await page(emulator, '?request=1')
  expect(html).toContain('&lt;b&gt;.png, 30 bytes')
  expect(html).toContain('10 units to each window')
  expect(html).toContain('in the query, where logs and histories keep it')
  expect(html).toContain('Send the key in the X-Api-Key header')
  expect(html).not.toContain(`api_key=${emulator.apiKey}`)
})

test('previous and next stay within the filter, and a request can be armed for', async () => {
  const html = await page(await withTraffic(), '?method=GET&request=2')
  expect(html).toContain('<a href="?method=GET&amp;request=1#request">Previous</a>')
  expect(html).toContain('<a href="?method=GET&amp;request=4#request">Next</a>')
  expect(html).toContain(
    'href="?method=GET&amp;request=2&amp;arm_method=GET&amp;arm_path=/api/uploads&amp;arm_account_id=2#fault-form"',
  )
})

test('a request that the log does not have leaves the rest of the page as it is', async () => {
  const html = await page(await withTraffic(), '?request=99%3Cscript%3E')
  expect(html).toContain('The log does not have it')
  expect([rowsOf(html).length, html.includes('<script>')]).toEqual([5, false])
})

test('markup, control characters and paths of 8 kB are shown as text, and cut', async () => {
  const emulator = await emulated()
  const agent = '<script>alert(1)</script>"\''
  await send(emulator, 'GET', `/api/${'x'.repeat(8_000)}`, { headers: { 'User-Agent': agent } })
  await send(emulator, 'GET', '/api/<img src=x onerror=alert(1)>%00%E2%80%AEgnp', { headers: { 'X-Note': '\x01\x9b' } })
  const html = `${await page(emulator, '?request=1')}${await page(emulator, '?request=2')}`
  expect(html).not.toMatch(/<script(?! type="module")|<img|[^\P{Cc}\n]|\p{Cf}/u)
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;')
  expect(rowsOf(html)[1]?.[3]?.length).toBe(81)
})

test('records with missing, unknown and odd fields are shown, in the list and whole, each with the others', async () => {
  const { control } = await emulated()
  const odd = [
    {},
    {
      method: null,
      endpoint: null,
      status: null,
      at: null,
      cost: null,
      accountId: null,
      keyIn: null,
      headers: null,
      file: null,
    },
    { method: '<b>', endpoint: '<i>'.repeat(3_000), status: '<u>', at: Number.NaN, clientIp: { a: 1 }, refusal: null },
    { at: 9e15, breach: { until: 9e15, kind: 'before_retry_after' }, stored: true, file: { name: 5 }, status: 200 },
    { refusal: { kind: '<s>', window: 7 }, status: 429, fault: 3, faultId: 'x', more: '<p>' },
  ] as never as RequestRecord[]
  const feed = { all: () => odd, dropped: () => 0, subscribe: () => () => {} }
  const visited = createLateDashboard({
    control,
    directory: noAccounts,
    journal: createRequestJournal(feed),
    token: 't',
    streams: createStreams(control.state),
  })
  const body = { async *[Symbol.asyncIterator]() {} }
  const request = { method: 'GET', origin: 'http://localhost', clientIp: '127.0.0.1', headers: {}, body }
  const pages = await Promise.all(
    ['', ...odd.map((_, at) => `?request=${at + 1}`)].map((query) =>
      visited({ ...request, url: `/_emulator/ui${query}` }, undefined),
    ),
  )
  for (const { status, body: html } of pages) {
    expect([status, rowsOf(String(html)).length]).toEqual([200, 5])
    expect(String(html)).not.toMatch(/<(b|i|u|s)>/)
  }
  expect(pages.slice(1).every(({ body: html }) => String(html).includes('<aside id="request"'))).toBe(true)
})
