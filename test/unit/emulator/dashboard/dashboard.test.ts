import { expect, test } from 'vitest'
import { emulated, send } from '../emulated.ts'
import { page, sendForm, tokenIn } from './looking.ts'

test('the dashboard is one English page with all seven sections, and nothing inline', async () => {
  const emulator = await emulated()
  const response = await emulator.fetch('http://h/_emulator/ui', { headers: { 'Accept-Language': 'ro' } })
  const html = await response.text()
  const headings = [...html.matchAll(/<h2 id="[a-z]+-heading">([A-Z][a-z]+)<\/h2>/g)].map(([, heading]) => heading)
  expect(headings).toEqual(['Requests', 'Quota', 'Clock', 'Faults', 'Accounts', 'Settings', 'State'])
  expect(html).toContain('<html lang="en">')
  expect(html).not.toMatch(
    /<style|style=|<script(?! type="module" src="\/_emulator\/ui\/assets\/dashboard\.[0-9a-f]+\.js")/,
  )
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
  expect(response.headers.get('cache-control')).toBe('no-store')
})

test('the page’s stylesheet, script and icon have addresses of their own, which caches keep', async () => {
  const emulator = await emulated()
  const addresses = [...(await page(emulator)).matchAll(/(?:href|src)="(\/_emulator\/ui\/assets\/[^"]+)"/g)]
  const answers = await Promise.all(addresses.map(([, path = '']) => emulator.fetch(`http://h${path}`)))
  expect(answers.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
    [200, 'image/svg+xml'],
    [200, 'text/css; charset=utf-8'],
    [200, 'text/javascript; charset=utf-8'],
  ])
  expect(answers.every(({ headers }) => headers.get('cache-control')?.includes('immutable'))).toBe(true)
})

test('looking at the dashboard is no request to the API: neither logged nor struck by a fault', async () => {
  const emulator = await emulated()
  emulator.control.faults.set([{ times: null, action: { type: 'status', status: 500 } }])
  const answers = [await emulator.fetch('/_emulator/ui'), await sendForm(emulator, 'requests/clear')]
  expect(answers.map(({ status }) => status)).toEqual([200, 303])
  expect(emulator.control.requests.list()).toMatchObject({ kept: 0, dropped: 0 })
  expect(emulator.control.faults.list()).toMatchObject([{ seen: 0 }])
})

test('a form changes the emulator, then leads back to its section with the page’s filter', async () => {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/stats')
  const token = tokenIn(await page(emulator))
  const answer = await sendForm(emulator, 'requests/clear?method=GET&request=1', { token }, {})
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/_emulator/ui?method=GET#requests'])
  expect(emulator.control.requests.list().kept).toBe(0)
})

test.each([
  ['from another site', {}, { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ['from another port of this machine', {}, { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['with a foreign Origin', {}, { Origin: 'http://127.0.0.1:5000' }, 403],
  ['with the Origin null', {}, { Origin: 'null' }, 403],
  ['without a word of where it is from, and without a token', {}, {}, 419],
  ['with a made-up token', { token: 'A'.repeat(60) }, { 'Sec-Fetch-Site': 'same-origin' }, 419],
])('a form %s changes nothing', async (_, fields: Record<string, string>, headers: Record<string, string>, status) => {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/stats')
  const answer = await sendForm(emulator, 'requests/clear', fields, headers)
  expect([answer.status, emulator.control.requests.list().kept]).toEqual([status, 1])
})

test('the address of a form, opened, leads to the page', async () => {
  const emulator = await emulated()
  const answer = await emulator.fetch('http://h/_emulator/ui/clock/advance?method=GET', { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/_emulator/ui?method=GET#clock'])
  const unknown = ['/_emulator/ui/nothing', '/_emulator/ui/assets/nothing.js', '/_emulator/uix']
  const answers = await Promise.all(unknown.map((path) => emulator.fetch(`http://h${path}`)))
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
})

test.each(['requests/constructor', 'requests/toString', 'requests/__proto__', '__proto__/clear'])(
  'the name %s, which every object has, is no form',
  async (name) => {
    expect((await sendForm(await emulated(), name)).status).toBe(404)
  },
)
