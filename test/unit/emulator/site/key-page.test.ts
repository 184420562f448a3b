import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../../emulator/index.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'
import { emulated, send } from '../emulated.ts'
import { plain } from './own-account.ts'
import { browserOf, signedIn, tokenOf } from './visitor.ts'

const path = '/cont/cheie-api'
const allowlistPath = `${path}/allowlist`
const password = { password: 'password' }

async function opened(options: EmulatorOptions = {}) {
  const emulator = await emulated(options)
  const browser = await signedIn(emulator)
  const statusOf = async (key: string) =>
    (await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': key } })).status
  const page = async (headers = {}) => plain((await browser.get(path, headers)).text)
  const shownKey = async () => /<output id="api-key"[^>]*>([^<]*)<\/output>/.exec(await page())?.[1]
  return { ...emulator, emulator, browser, statusOf, page, shownKey }
}

test('spec 1, silence 69: the account’s password makes a new key, which is shown once and waits in memory only, and the old one ends at once', async () => {
  const { browser, control, apiKey, statusOf, page, shownKey } = await opened()
  expect(await page()).toContain('>Generate key</button>')
  const reply = await browser.post(path, password)
  expect([reply.status, reply.location, reply.text]).toEqual([303, '../cont/cheie-api', ''])
  const kept = JSON.stringify([await control.state.get(), control.requests.list()])
  const { headers, text } = await browser.get(path)
  const [, key = ''] = /<output id="api-key"[^>]*>([A-Za-z0-9]{40})<\/output>/.exec(text) ?? []
  expect(kept).not.toContain(key)
  expect(headers.get('Cache-Control')).toBe('no-store')
  expect(text).toContain(`curl -H &quot;X-Api-Key: ${key}&quot; http://h/api/stats</code>`)
  expect(text).toContain(`echo ${key} | fh login --with-key --base-url http://h</code>`)
  expect([await statusOf(key), await statusOf(apiKey), await shownKey()]).toEqual([200, 401, undefined])
  const again = await page()
  expect(again).not.toContain(key)
  expect(again).toContain('>Generate a new key</button>')
  expect(again).toContain('The current key stops working at once.')
})

test('neither a HEAD nor a page fetched in advance uses up the one showing of a new key', async () => {
  const { fetch, browser, shownKey } = await opened()
  await browser.post(path, password)
  for (const init of [{ method: 'HEAD' }, { headers: { 'Sec-Purpose': 'prefetch' } }]) {
    const headers = { Cookie: browser.cookie(), ...init.headers }
    expect(await (await fetch(`http://h${path}`, { ...init, headers })).text()).not.toContain('api-key')
  }
  expect(await shownKey()).toMatch(/^\w{40}$/)
})

test('a new key is shown to the session that ordered it alone, for 60 seconds, and not after a restore or a sign-out', async () => {
  const { emulator, browser, control, shownKey } = await opened()
  const other = await signedIn(emulator)
  const isShown = async () => (await shownKey()) !== undefined
  await browser.post(path, password)
  expect((await other.get(path)).text).not.toContain('id="api-key"')
  await control.clock.advance(59_999)
  expect(await isShown()).toBe(true)
  await browser.post(path, password)
  await control.clock.advance(60_000)
  expect(await isShown()).toBe(false)
  await browser.post(path, password)
  await control.state.restore(await control.state.get())
  expect(await isShown()).toBe(false)
  await browser.post(path, password)
  await browser.post('/logout', {}, path)
  await browser.post('/login', { email: 'user@example.com', ...password })
  expect(await isShown()).toBe(false)
})

test('a form with a wrong password can be sent again, and of one sent twice the page shows the key that is live', async () => {
  const { browser, apiKey, statusOf, shownKey } = await opened()
  const token = tokenOf(await browser.get(path), path)
  const order = async (given: string) => (await browser.send(path, { token, password: given })).status
  expect([await order('wrong'), await statusOf(apiKey)]).toEqual([200, 200])
  expect(await Promise.all([order('password'), order('password')])).toEqual([303, 303])
  const key = (await shownKey()) ?? ''
  expect([await shownKey(), await statusOf(key)]).toEqual([undefined, 200])
})

test('spec 1: a wrong password changes nothing, and after five the visitor waits', async () => {
  const { emulator, browser, control, apiKey, statusOf } = await opened()
  const order = async (given: string) => (await browser.post(path, { password: given })).text
  const signIn = async (given: string) =>
    (await browserOf(emulator).post('/login', { email: 'user@example.com', password: given })).text
  for (const _ of [1, 2, 3]) expect(await order('wrong')).toContain('The password is wrong. The key has not changed.')
  // Those of the sign-in count too.
  for (const _ of [4, 5]) expect(await signIn('wrong')).toContain('The email or the password is wrong.')
  for (const ask of [order, signIn]) expect(await ask('password')).toContain('Too many attempts. Try again at ')
  expect(await statusOf(apiKey)).toBe(200)
  await control.clock.advance('60s')
  await order('password')
  expect(await statusOf(apiKey)).toBe(401)
})

test('the page says first which key is live, when it was made, and last used from which address', async () => {
  const { browser, statusOf, apiKey, page } = await opened()
  const first = await page()
  const parts = ['It has not been used yet.', 'label for="password"', 'id="quota"', 'id="usage"', 'Allowed addresses']
  const places = parts.map((part) => first.indexOf(part))
  expect(places).toEqual([...places].sort((one, other) => one - other))
  expect(places[0]).toBeGreaterThan(first.indexOf(`…${apiKey.slice(-4)}</code> <span class="pill good">Live</span>`))
  await statusOf(apiKey)
  expect(await page()).toContain('It was last used on January 15, 2026 at 2:00 PM from 127.0.0.1.')
  await browser.post(path, password)
  const text = await page()
  expect(text).toContain('The old key has stopped working.')
  expect(text).toContain('It has not been used yet.')
})

test('spec 1: signed out, the page leads to the sign-in, and the sign-in back', async () => {
  const browser = browserOf(await emulated())
  const reply = await browser.get(path)
  expect([reply.status, reply.location]).toEqual([303, '../login?from=cont%2Fcheie-api'])
  expect((await reply.next()).text).toContain('Sign in to see this page.')
  const back = await browser.post('/login', { email: 'user@example.com', ...password, from: 'cont/cheie-api' })
  expect(back.location).toBe('./cont/cheie-api')
})

test('silence 72: wrong lines of the allowlist are named, the text stays and nothing is saved', async () => {
  const { browser, control } = await opened()
  const addresses = '127.0.0.1\n<b>"x"</b>\n1.2.3.4/40\nfe80::1%eth0'
  const { text } = await browser.post(allowlistPath, { addresses }, path)
  expect(text).toContain(
    'Line 2, “&lt;b&gt;&quot;x&quot;&lt;/b&gt;”: this is no IPv4 or IPv6 address, and no range of them.',
  )
  for (const place of ['Line 3, “1.2.3.4/40”', 'Line 4, “fe80::1%eth0”']) expect(text).toContain(place)
  expect(text).toContain('127.0.0.1\n&lt;b&gt;')
  expect(control.accounts.get(1).ip_allowlist).toEqual([])
})

test('spec 5.6, 5.7, silence 74: the notices of a suspended account, which may sign in, and a disabled API have the API’s own words, in both languages', async () => {
  const { control, page } = await opened({ seed: { accounts: [{ suspended: true }] } })
  control.settings.update({ api_enabled: false })
  control.accounts.update(1, { suspended: true, suspension_reason: '<i>Too</i> loud' })
  const text = await page({ 'Accept-Language': 'ro' })
  expect(text).toContain('<p lang="en"><q>API temporarily disabled.</q></p>')
  expect(text).toContain('<p lang="en"><q>&lt;i&gt;Too&lt;/i&gt; loud</q></p>')
  control.accounts.update(1, { suspension_reason: null })
  expect(await page()).toContain('<q>Access suspended by administrator.</q>')
})

test('spec 1: the chart has the account’s requests in a sentence, a picture and tables', async () => {
  const { browser, control, apiKey, fetch, page } = await opened({ quotas: defaultLimits })
  const call = (address: string, key = apiKey) => fetch(`http://h/api${address}`, { headers: { 'X-Api-Key': key } })
  await call('/uploads/nothere')
  for (let times = 0; times < 23; times += 1) await call('/uploads')
  await call('/stats', 'another')
  const text = await page()
  expect(text).toContain(
    '<figure role="img" aria-label="API requests, last 24 hours: 24, of which 4 refused for the quota; most at 14:00">',
  )
  expect(text).toContain(
    '<td>GET</td><td><wbr>/api<wbr>/uploads<wbr>/{slug}</td><td><span class="pill clientError">404</span></td><td class="number">1</td>',
  )
  expect(text).toContain(
    '<td>GET</td><td><wbr>/api<wbr>/uploads</td><td><span class="pill limited">429</span></td><td class="number">4</td>',
  )
  const figure = /<figure.*?<\/figure>/s.exec(text)?.[0] ?? ''
  expect(figure).not.toMatch(/<a |style=|figcaption/)
  expect(figure).toContain('<title>14:00\nSuccessful: 19\nClient errors: 1\nOver the quota (429): 4</title>')
  expect(figure).toContain('>Jan 15</text>')
  await control.clock.advance('25h')
  expect(await page()).toMatch(
    /<figure role="img" aria-label="API requests, [^>]*><p class="empty">There are no requests/,
  )
  expect((await browser.get(`${path}?range=7d`)).text).toContain('API requests, last 7 days: 24,')
  const romanian = await browser.get(`${path}?range=30d`, { 'Accept-Language': 'ro' })
  expect(romanian.text).toContain('aria-label="Cereri API, ultimele 30 de zile: 24, dintre care 4 refuzate')
})

test('a list that is not saved is told above everything, with a link to it, and in the tab’s title', async () => {
  const { browser } = await opened()
  const { text } = await browser.post(allowlistPath, { addresses: 'nonsense' }, path)
  expect(text).toContain('<title>Error: API key · filehost</title>')
  expect(text).toContain(
    '<div class="notice bad" role="alert"><p><a href="#allowlist">Nothing was saved. Look at “Allowed addresses”.</a>',
  )
  expect(text).toMatch(/id="allowlist"[^>]* autofocus>/)
  expect((await browser.post(path, { password: 'x' })).text).toContain('<a href="#password">Nothing was saved.')
})

test('the gauges show each window, and when it is back: rounded up, as in the headers, with a date on another day', async () => {
  const { control, apiKey, fetch, page } = await opened({ quotas: defaultLimits })
  await control.clock.set('2026-01-15T20:10:20.250Z')
  const { headers } = await fetch('http://h/api/stats', { headers: { 'X-Api-Key': apiKey } })
  expect(headers.get('X-RateLimit-Reset')).toBe(String(Date.parse('2026-01-15T20:11:21Z') / 1_000))
  const text = await page()
  expect(text).toContain(
    'Minute</strong>\n<meter min="0" max="60" high="48" optimum="0" value="1"></meter>\n<small>1 of 60 units used, 59 left, all back at 10:11:21 PM',
  )
  control.accounts.update(1, { quotas: { hour: null } })
  expect(await page()).toContain('Units used: 1, no limit')
  expect(text).toContain('9,999 left, all back at Jan 16, 2026, 10:10:21 PM')
})
