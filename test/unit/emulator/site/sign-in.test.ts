import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'
import { visit } from './own-account.ts'
import { browserOf, signedIn, tokenOf } from './visitor.ts'

const right = { email: 'user@example.com', password: 'password' }

test('a visitor signs in with a form, sees its own links and signs out', async () => {
  const browser = browserOf(await emulated())
  const reply = await browser.post('/login', right)
  expect([reply.status, reply.location]).toEqual([303, './'])
  expect(reply.headers.get('Set-Cookie')).toMatch(/^fh_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const home = await browser.get('/')
  expect(home.text).toContain('Sign out')
  expect(home.headers.get('Cache-Control')).toBe('no-store')
  const out = await browser.post('/logout', {}, '/')
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

test('each sign-in gets a new session, and the one that the browser had ends', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const before = browser.cookie()
  await browser.send('/login', right)
  expect(browser.cookie()).not.toBe(before)
  expect(await (await visit(emulator, '/', { headers: { Cookie: before } })).text()).not.toContain('Sign out')
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

test('a double click on "Sign out" leads to the sign-in, not to a page that says that the form has expired', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const headers = { Cookie: browser.cookie(), 'Sec-Fetch-Site': 'same-origin' }
  const token = tokenOf(await browser.get('/'), '/logout')
  for (const _ of [1, 2]) {
    const body = new URLSearchParams({ token })
    const reply = await visit(emulator, '/logout', { method: 'POST', redirect: 'manual', headers, body })
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, expect.stringMatching(/^\.\/login\?note=/)])
  }
})
