import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, send } from '../emulated.ts'
import { browserOf, type Page, signedIn, tokenOf } from './visitor.ts'

const path = '/cont/cheie-api'
const allowlistPath = `${path}/allowlist`

function shownKey({ text }: Page): string | undefined {
  return /<output id="api-key"[^>]*>([^<]*)<\/output>/.exec(text)?.[1]
}

const statusOf = async (emulator: Emulator, key: string) =>
  (await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': key } })).status

test('the account’s password makes a new key, which is shown once, and the old one ends at once', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  expect((await browser.get(path)).text).toContain('>Generate key</button>')
  const reply = await browser.post(path, { password: 'password' })
  expect([reply.status, reply.headers.get('Location'), reply.text]).toEqual([303, '../cont/cheie-api', ''])
  const page = await browser.get(path)
  const key = shownKey(page) ?? ''
  expect(key).toMatch(/^[A-Za-z0-9]{40}$/)
  expect(page.headers.get('Cache-Control')).toBe('no-store')
  expect([await statusOf(emulator, key), await statusOf(emulator, emulator.apiKey)]).toEqual([200, 401])
  const again = await browser.get(path)
  expect([shownKey(again), again.text.includes(key)]).toEqual([undefined, false])
  expect(again.text).toContain('>Generate a new key</button>')
  expect(again.text).toContain('The current key stops working at once.')
})

test('a new key waits in memory only: no snapshot, log or address has it', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  await browser.post(path, { password: 'password' })
  const before = JSON.stringify([await emulator.control.state.get(), emulator.control.requests.list()])
  const key = shownKey(await browser.get(path)) ?? ''
  expect(key).not.toBe('')
  expect(before).not.toContain(key)
})

test.each([
  ['a HEAD', { method: 'HEAD' }],
  ['a page that the browser fetches in advance', { headers: { 'Sec-Purpose': 'prefetch' } }],
])('%s does not use up the one showing of a new key', async (_, init: RequestInit) => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  await browser.post(path, { password: 'password' })
  const headers = { Cookie: browser.cookie(), ...init.headers }
  const reply = await emulator.fetch(new Request(`http://h${path}`, { ...init, headers }))
  expect(await reply.text()).not.toContain('api-key')
  expect(shownKey(await browser.get(path))).toMatch(/^\w{40}$/)
})

test('a new key that is not looked at within a minute is never shown', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  await browser.post(path, { password: 'password' })
  await emulator.control.clock.advance('61s')
  expect(shownKey(await browser.get(path))).toBeUndefined()
})

test('a double click makes one key', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const token = tokenOf(await browser.get(path), path)
  const click = () =>
    emulator.fetch(
      new Request(`http://h${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Cookie: browser.cookie(), 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({ token, password: 'password' }),
      }),
    )
  const replies = await Promise.all([click(), click()])
  expect(replies.map(({ status }) => status)).toEqual([303, 303])
  const key = shownKey(await browser.get(path)) ?? ''
  expect(await statusOf(emulator, key)).toBe(200)
  await click()
  expect([shownKey(await browser.get(path)), await statusOf(emulator, key)]).toEqual([undefined, 200])
})

test('a wrong password changes nothing, and after five the visitor waits', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  for (let tries = 0; tries < 5; tries += 1) {
    const { text } = await browser.post(path, { password: 'wrong' })
    expect(text).toContain('The password is wrong. The key has not changed.')
  }
  const { text } = await browser.post(path, { password: 'password' })
  expect(text).toContain('Too many attempts. Try again at ')
  expect(await statusOf(emulator, emulator.apiKey)).toBe(200)
})

test('the page says when the current key was made, and last used from which address', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  expect((await browser.get(path)).text).toContain('It has not been used yet.')
  await send(emulator, 'GET', '/api/stats')
  const used = 'It was last used on January 15, 2026 at 2:00 PM from 127.0.0.1.'
  expect((await browser.get(path)).text.replaceAll('\u202f', ' ')).toContain(used)
  await browser.post(path, { password: 'password' })
  const { text } = await browser.get(path)
  expect(text.replaceAll('\u202f', ' ')).toContain('The old key has stopped working; it was last used on January 15')
  expect(text).toContain('It has not been used yet.')
})

test('signed out, the page leads to the sign-in, and the sign-in back', async () => {
  const browser = browserOf(await emulated())
  const reply = await browser.get(path)
  expect([reply.status, reply.headers.get('Location')]).toEqual([303, '../login?message=needed&from=cont%2Fcheie-api'])
  const login = '/login?message=needed&from=cont%2Fcheie-api'
  expect((await browser.get(login)).text).toContain('Sign in to see this page.')
  const back = await browser.post('/login', { email: 'user@example.com', password: 'password', from: 'cont/cheie-api' })
  expect(back.headers.get('Location')).toBe('./cont/cheie-api')
})

test('the allowlist that the page saves is the API’s at once', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const save = (fields: Readonly<Record<string, string>>) =>
    browser.post(allowlistPath, { do: 'save', ...fields }, path)
  const refused = await save({ addresses: '10.0.0.5/24' })
  expect(refused.text).toContain('This list refuses programs on your own machine (127.0.0.1, ::1).')
  expect(refused.text).toContain('Line 1: 10.0.0.5/24 means 10.0.0.0/24.')
  expect(await statusOf(emulator, emulator.apiKey)).toBe(200)
  expect((await save({ addresses: '10.0.0.5/24', consent: 'yes' })).status).toBe(303)
  expect(await statusOf(emulator, emulator.apiKey)).toBe(403)
  expect(emulator.control.accounts.get(1).ip_allowlist).toEqual(['10.0.0.5/24'])
  const added = await browser.post(allowlistPath, { do: 'add', addresses: '10.0.0.5/24' }, path)
  expect(added.text).toContain('>\n10.0.0.5/24\n127.0.0.1\n::1</textarea>')
  expect((await save({ addresses: '10.0.0.5/24\r\n127.0.0.1\r\n::1' })).status).toBe(303)
  expect((await browser.get(`${path}?message=saved`)).text).toContain('The list is saved.')
  expect(await statusOf(emulator, emulator.apiKey)).toBe(200)
})

test('wrong lines of the allowlist are named, the text stays and nothing is saved', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const addresses = '127.0.0.1\n<b>"x"</b>\n1.2.3.4/40\nfe80::1%eth0'
  const { text } = await browser.post(allowlistPath, { do: 'save', addresses }, path)
  expect(text).toContain('Line 2, “&lt;b&gt;&quot;x&quot;&lt;/b&gt;”: this is no IPv4 or IPv6 address.')
  expect(text).toContain('Line 3, “1.2.3.4/40”: the number after the slash is too large')
  expect(text).toContain('Line 4, “fe80::1%eth0”: an address with a zone')
  expect(text).toContain('127.0.0.1\n&lt;b&gt;')
  expect(emulator.control.accounts.get(1).ip_allowlist).toEqual([])
})

test('the notices of a suspended account and a disabled API have the API’s own words, in both languages', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  emulator.control.settings.update({ api_enabled: false })
  emulator.control.accounts.update(1, { suspended: true, suspension_reason: '<i>Too</i> loud' })
  const { text } = await browser.get(path, { 'Accept-Language': 'ro' })
  expect(text).toContain('<p lang="en"><q>API temporarily disabled.</q></p>')
  expect(text).toContain('<p lang="en"><q>&lt;i&gt;Too&lt;/i&gt; loud</q></p>')
  emulator.control.accounts.update(1, { suspension_reason: null })
  expect((await browser.get(path)).text).toContain('<q>Access suspended by administrator.</q>')
})

test('the chart has the account’s requests in a sentence, a picture and tables', async () => {
  const emulator = await emulated({ quotas: defaultLimits })
  const browser = await signedIn(emulator)
  for (let times = 0; times < 3; times += 1) await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/api/uploads/nothere')
  for (let times = 0; times < 20; times += 1) await send(emulator, 'GET', '/api/uploads')
  await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'another' } })
  const { text } = await browser.get(path)
  expect(text).toContain(
    '<figure role="img" aria-label="API requests, last 24 hours: 24, of which 4 refused for the quota; most at 14:00">',
  )
  expect(text).toContain('<td>GET</td><td>/api/uploads/{slug}</td><td>404</td><td class="number">1</td>')
  expect(text).toContain('<td>GET</td><td>/api/uploads</td><td>429</td><td class="number">4</td>')
  const figure = /<figure.*?<\/figure>/s.exec(text)?.[0]
  expect(figure).not.toMatch(/<a |style=|figcaption/)
  await emulator.control.clock.advance('25h')
  expect((await browser.get(path)).text).toContain('There are no requests in this time.')
  expect((await browser.get(`${path}?range=7d`)).text).toContain('API requests, last 7 days: 24,')
  expect((await browser.get(`${path}?range=30d`, { 'Accept-Language': 'ro' })).text).toContain(
    'aria-label="Cereri API, ultimele 30 de zile: 24, dintre care 4 refuzate',
  )
})

test('the gauges show each window of the quota', async () => {
  const emulator = await emulated({ quotas: defaultLimits })
  const browser = await signedIn(emulator)
  await send(emulator, 'GET', '/api/stats')
  expect((await browser.get(path)).text).toMatch(
    /Minute<\/strong>\n<meter min="0" max="60" high="48" optimum="0" value="1"><\/meter>\n<span>1 of 60 units used, 59 left, all back at 2:01:00\sPM/,
  )
  emulator.control.accounts.update(1, { quotas: { day: null } })
  expect((await browser.get(path)).text).toContain('Units used: 1, no limit')
})

test('a session survives a restart with a data folder, a new key waiting to be shown does not', async () => {
  const data = temporaryFolder()
  const emulator = await emulated({ data })
  const browser = await signedIn(emulator)
  await browser.post(path, { password: 'password' })
  await emulator.close()
  const next = await emulated({ data })
  const page = await next.fetch(new Request(`http://h${path}`, { headers: { Cookie: browser.cookie() } }))
  const text = await page.text()
  expect(text).toContain('<h1>API key</h1>')
  expect(text).not.toContain('id="api-key"')
})
