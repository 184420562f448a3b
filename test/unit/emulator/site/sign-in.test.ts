import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'
import { anotherAccount } from './own-account.ts'
import { type Browser, browserOf, signedIn, tokenOf } from './visitor.ts'

const right = { email: 'user@example.com', password: 'password' }

test('spec 1: a visitor signs in with a form, each time with a new session, sees its own links and signs out', async () => {
  const browser = browserOf(await emulated())
  expect((await browser.get('/login')).text).toContain('<code>user@example.com</code> / <code>password</code>')
  const before = await browser.post('/login', right)
  const setCookie = /^fh_session=([\w-]{43}); Path=\/; HttpOnly; SameSite=Lax$/
  const [, old = ''] = setCookie.exec(before.headers.get('Set-Cookie') ?? '') ?? []
  const reply = await browser.send('/login', right)
  expect([reply.status, reply.location]).toEqual([303, './'])
  expect(reply.headers.get('Set-Cookie')).toMatch(setCookie)
  expect((await browser.get('/', { Cookie: `fh_session=${old}` })).text).not.toContain('Sign out')
  const home = await browser.get('/')
  expect(home.text).toContain('Sign out')
  expect(home.headers.get('Cache-Control')).toBe('no-store')
  const out = await browser.send('/logout', { token: tokenOf(home, '/logout') }, { 'Sec-Fetch-Site': 'same-origin' })
  expect([out.status, out.location]).toEqual([303, './login'])
  expect((await out.next()).text).toContain('You are signed out.')
  expect((await browser.get('/')).text).not.toContain('Sign out')
})

test('a wrong password keeps the email, says nothing of which was wrong, opens no session, and five make the visitor wait', async () => {
  const browser = browserOf(await emulated())
  const attempt = (email: string) => browser.post('/login', { email, password: 'Password' })
  for (const email of ['other@example.com', ...Array.from({ length: 5 }, () => right.email)]) {
    const { status, text: page } = await attempt(email)
    expect(status).toBe(200)
    expect(page).toContain('The email or the password is wrong.')
    expect(page).toContain(`value="${email}"`)
  }
  expect(browser.cookie()).toBe('')
  const refused = await browser.post('/login', right)
  expect([refused.status, refused.text]).toEqual([200, expect.stringContaining('Too many attempts. Try again at ')])
})

/** The sign-in sends on a browser that is signed in. */
const isSignedIn = async ({ get }: Browser, Cookie?: string) =>
  (await get('/login', Cookie === undefined ? {} : { Cookie })).status === 303

test('a session lasts 30 days of the service’s clock, and no other id is one', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const [name = '', id = ''] = browser.cookie().split('=')
  const { records } = await emulator.control.state.get()
  const [{ id_hash = '' } = {}] = records['sessions'] as readonly { readonly id_hash: string }[]
  for (const other of ['', '__proto__', id_hash, `${id}=`, `${id}.`, 'a'.repeat(10_000)]) {
    expect(await isSignedIn(browser, `${name}=${other}`)).toBe(false)
  }
  await emulator.control.clock.advance(30 * 24 * 3_600_000 - 1)
  expect(await isSignedIn(browser)).toBe(true)
  await emulator.control.clock.advance(1)
  expect(await isSignedIn(browser)).toBe(false)
})

test('with a hundred sessions of an account, the next ends the oldest and none of another account', async () => {
  const emulator = await emulated()
  const other = (await anotherAccount(emulator)).browser
  const browsers: Browser[] = []
  for (let count = 0; count < 103; count += 1) {
    await emulator.control.clock.advance(1_000)
    browsers.push(await signedIn(emulator))
  }
  const lasting = await Promise.all(browsers.map((browser) => isSignedIn(browser)))
  expect(lasting).toEqual(browsers.map((_, at) => at >= 3))
  expect(await isSignedIn(other)).toBe(true)
})

test('the session’s cookie is named by the port, and kept by TLS and a data folder in their ways', async () => {
  const emulator = await emulated({ siteUrl: 'https://files.example:8443' })
  const reply = await browserOf(emulator).post('/login', right)
  expect(reply.headers.get('Set-Cookie')).toMatch(
    /^__Host-fh_session_8443=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
})

test('the password that everyone knows signs in by names of this machine alone, and not through a proxy', async () => {
  const emulator = await emulated({ siteUrl: 'http://localhost:8080' })
  const own = emulator.control.accounts.create()
  const { port } = await emulator.listen()
  const signIn = (host: string, { email, password }: typeof right, more = {}) => {
    const type = 'application/x-www-form-urlencoded'
    const headers = { Host: `${host}:${port}`, Origin: 'http://localhost:8080', 'Content-Type': type, ...more }
    return new Promise<string>((resolve, reject) => {
      const sent = request({ port, path: '/login', method: 'POST', headers, agent: false }, (reply) => {
        text(reply).then((page) => resolve(`${reply.statusCode} ${page}`), reject)
      })
      sent.on('error', reject).end(new URLSearchParams({ email, password }).toString())
    })
  }
  const refused = await signIn('evil.example', right)
  expect(refused).toMatch(/^403 [\s\S]*The public password signs in only on the emulator’s own machine/)
  expect(await signIn('localhost', right, { 'X-Forwarded-For': '192.0.2.7' })).toMatch(/^403/)
  for (const host of ['127.0.0.1', 'localhost']) expect(await signIn(host, right)).toMatch(/^303/)
  expect(await signIn('evil.example', own)).toMatch(/^303/)
})
