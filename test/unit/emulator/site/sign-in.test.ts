import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { emulated } from '../emulated.ts'
import { browserOf, signedIn, tokenOf } from './visitor.ts'

const formType = 'application/x-www-form-urlencoded'
const right = { email: 'user@example.com', password: 'password' }

test('a visitor signs in with a form, sees its own links and signs out', async () => {
  const browser = browserOf(await emulated())
  const reply = await browser.post('/login', right)
  expect([reply.status, reply.headers.get('Location')]).toEqual([303, './'])
  expect(reply.headers.get('Set-Cookie')).toMatch(/^fh_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const home = await browser.get('/')
  expect(home.text).toContain('Sign out')
  expect(home.headers.get('Cache-Control')).toBe('no-store')
  const out = await browser.post('/logout', {}, '/')
  expect([out.status, out.headers.get('Location')]).toEqual([303, './login?message=signedOut'])
  expect((await browser.get('/login?message=signedOut')).text).toContain('You are signed out.')
  expect((await browser.get('/')).text).not.toContain('Sign out')
})

test('a wrong password keeps the email, says nothing of which was wrong and opens no session', async () => {
  const browser = browserOf(await emulated())
  const known = await browser.post('/login', { ...right, password: 'Password' })
  const unknown = await browser.post('/login', { email: 'other@example.com', password: 'Password' })
  for (const { status, text } of [known, unknown]) {
    expect(status).toBe(200)
    expect(text).toContain('The email or the password is wrong.')
  }
  expect(known.text).toContain('value="user@example.com"')
  expect(browser.cookie()).toBe('')
})

test('after five wrong tries a visitor waits for a minute of the service’s clock', async () => {
  const emulator = await emulated()
  const browser = browserOf(emulator)
  for (let tries = 0; tries < 5; tries += 1) await browser.post('/login', { ...right, password: 'x' })
  const refused = await browser.post('/login', right)
  expect([refused.status, refused.text]).toEqual([200, expect.stringContaining('Too many attempts. Try again at ')])
  await emulator.control.clock.advance('60s')
  expect((await browser.post('/login', right)).status).toBe(303)
})

test('each sign-in gets a new session, and the one before ends', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const before = browser.cookie()
  const page = await browser.get('/')
  await browser.post('/logout', {}, '/')
  await browser.post('/login', right)
  expect(browser.cookie()).not.toBe(before)
  const old = await emulator.fetch(new Request('http://h/', { headers: { Cookie: before } }))
  expect(await old.text()).not.toContain('Sign out')
  // The form of the first session is worth nothing in the second.
  const body = new URLSearchParams({ token: tokenOf(page, '/logout') })
  const forged = await emulator.fetch(
    new Request('http://h/logout', { method: 'POST', body, headers: { Cookie: browser.cookie() } }),
  )
  expect(forged.status).toBe(419)
})

test('a session that a stranger planted in the browser is not the one that the visitor signs in to', async () => {
  const emulator = await emulated()
  const planted = (await signedIn(emulator)).cookie()
  const reply = await emulator.fetch(
    new Request('http://h/login', {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: planted, 'Sec-Fetch-Site': 'same-origin' },
      body: new URLSearchParams(right),
    }),
  )
  expect(reply.headers.get('Set-Cookie')).not.toContain(planted)
})

test('a suspended account signs in, because the site tells it why the API refuses it', async () => {
  const emulator = await emulated()
  emulator.control.accounts.update(1, { suspended: true })
  expect((await (await signedIn(emulator)).get('/')).text).toContain('Sign out')
})

test('the session’s cookie is named by the port, and kept by TLS and a data folder in their ways', async () => {
  const emulator = await emulated({ siteUrl: 'https://files.example:8443' })
  const reply = await browserOf(emulator).post('/login', right)
  expect(reply.headers.get('Set-Cookie')).toMatch(
    /^__Host-fh_session_8443=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
})

test('the password that everyone knows signs in by names of this machine alone, and not through a proxy', async () => {
  const signIn = async (emulator: Emulator, host: string, email: string, password: string, more = {}) => {
    const { port } = await emulator.listen()
    const headers = { Host: `${host}:${port}`, Origin: `http://${host}:${port}`, 'Content-Type': formType, ...more }
    return new Promise<{ readonly status: number | undefined; readonly page: string }>((resolve, reject) => {
      const sent = request({ port, path: '/login', method: 'POST', headers, agent: false }, (reply) => {
        text(reply).then((page) => resolve({ status: reply.statusCode, page }), reject)
      })
      sent.on('error', reject).end(new URLSearchParams({ email, password }).toString())
    })
  }
  const emulator = await emulated({ siteUrl: 'http://localhost:8080' })
  const own = emulator.control.accounts.create()
  const tries: readonly (readonly [string, object?])[] = [
    ['evil.example'],
    ['localhost', { 'X-Forwarded-For': '192.0.2.7' }],
    ['127.0.0.1'],
    ['localhost'],
  ]
  const replies = await Promise.all(
    tries.map(([host, more]) =>
      signIn(emulator, host, right.email, right.password, { ...more, Origin: 'http://localhost:8080' }),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual([403, 403, 303, 303])
  expect(replies[0]?.page).toContain('The public password signs in only on the emulator’s own machine')
  expect(
    (await signIn(emulator, 'evil.example', own.email, own.password, { Origin: 'http://localhost:8080' })).status,
  ).toBe(303)
})

test('a double click on "Sign out" leads to the sign-in, not to a page that says that the form has expired', async () => {
  const emulator = await emulated()
  const browser = await signedIn(emulator)
  const body = new URLSearchParams({ token: tokenOf(await browser.get('/'), '/logout') }).toString()
  const headers = { Cookie: browser.cookie(), 'Content-Type': formType, 'Sec-Fetch-Site': 'same-origin' }
  const signOut = () => emulator.fetch('http://h/logout', { method: 'POST', redirect: 'manual', headers, body })
  const replies = [await signOut(), await signOut()]
  expect(replies.map((reply) => [reply.status, reply.headers.get('Location')])).toEqual([
    [303, './login?message=signedOut'],
    [303, './login?message=signedOut'],
  ])
})
