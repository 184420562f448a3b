import { expect, test } from 'vitest'
import { rejectUnauthorized } from '../../../../../emulator/control/http/access-guard.ts'
import type { HttpRequest } from '../../../../../emulator/http-types.ts'

interface Caller {
  readonly from?: string
  readonly host?: string
  readonly origin?: string
  readonly bearer?: string
  readonly scheme?: string
  /** Sent through fetch, without a socket. */
  readonly inProcess?: boolean
}

function request({
  from = '127.0.0.1',
  host,
  origin,
  bearer,
  scheme = 'http',
  inProcess = false,
}: Caller): HttpRequest {
  return {
    method: 'POST',
    url: '/_emulator/reset',
    origin: `${scheme}://${host ?? 'h'}`,
    headers: {
      ...(host !== undefined && !inProcess && { host }),
      ...(origin !== undefined && { origin }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    clientIp: from,
    ...(inProcess ? {} : { localPort: 4884 }),
    body: (async function* () {})(),
  }
}

function verdict(caller: Caller, siteUrl?: string): string {
  return rejectUnauthorized(request(caller), { token: 'the-token', siteUrl })?.body.error.code ?? 'welcome'
}

const own = { host: 'localhost:4884' }
const remote = { from: '192.0.2.7', host: '192.0.2.1:4884' }

test.each<[string, Caller, string]>([
  ['a program on this machine', own, 'welcome'],
  ['a program that uses 127.0.0.1', { host: '127.0.0.1:4884' }, 'welcome'],
  ['a program that uses another loopback address', { host: '127.1.2.3:4884', from: '127.1.2.3' }, 'welcome'],
  ['a program that uses IPv6', { host: '[::1]:4884', from: '::1' }, 'welcome'],
  ['a program that uses a subdomain of localhost', { host: 'files.localhost:4884' }, 'welcome'],
  ['the emulator’s own page', { ...own, origin: 'http://localhost:4884' }, 'welcome'],
  ['the emulator’s own page by its other name', { ...own, origin: 'http://127.0.0.1:4884' }, 'welcome'],
  ['a page of another origin', { ...own, origin: 'https://evil.example' }, 'foreign-origin'],
  ['a page of another port', { ...own, origin: 'http://localhost:3000' }, 'foreign-origin'],
  ['a page with the origin null', { ...own, origin: 'null' }, 'foreign-origin'],
  ['a foreign name that resolves to this machine', { host: 'evil.example:4884' }, 'foreign-host'],
  ['a page of such a name', { host: 'evil.example:4884', origin: 'http://evil.example:4884' }, 'foreign-origin'],
  ['a name that begins with localhost', { host: 'localhost.evil.example:4884' }, 'foreign-host'],
  ['a name that begins with 127.0.0.1', { host: '127.0.0.1.evil.example:4884' }, 'foreign-host'],
  ['localhost with another port', { host: 'localhost:80' }, 'foreign-host'],
  ['localhost without a port', { host: 'localhost' }, 'foreign-host'],
  ['an invalid host', { host: 'a b' }, 'foreign-host'],
  ['another machine', remote, 'token-required'],
  ['another machine that claims to be this one', { ...remote, host: 'localhost:4884' }, 'token-required'],
  ['another machine with a wrong token', { ...remote, bearer: 'a-token' }, 'token-required'],
  ['another machine with a longer token', { ...remote, bearer: 'the-token-' }, 'token-required'],
  ['another machine with the token', { ...remote, bearer: 'the-token' }, 'welcome'],
  [
    'the emulator’s page there, with the token',
    { ...remote, bearer: 'the-token', origin: 'http://192.0.2.1:4884' },
    'welcome',
  ],
  ['another page with the token', { ...remote, bearer: 'the-token', origin: 'https://evil.example' }, 'foreign-origin'],
  ['this machine under another name, with the token', { host: 'emulator:4884', bearer: 'the-token' }, 'welcome'],
  ['the same process with any host', { inProcess: true }, 'welcome'],
  ['a page in the same process', { inProcess: true, origin: 'http://localhost:3000' }, 'welcome'],
  ['a foreign page in the same process', { inProcess: true, origin: 'https://evil.example' }, 'foreign-origin'],
])('the access guard answers %s: %s %s', (_, caller, answer) => {
  expect(verdict(caller)).toBe(answer)
})

test('the host of siteUrl is accepted, but its pages are foreign without the token', () => {
  const site = 'https://files.test'
  const page = { host: 'files.test', origin: site, scheme: 'https' }
  expect(verdict({ host: 'files.test', scheme: 'https' }, site)).toBe('welcome')
  expect(verdict(page, site)).toBe('foreign-origin')
  expect(verdict({ ...own, origin: site }, site)).toBe('foreign-origin')
  expect(verdict({ ...page, bearer: 'the-token' }, site)).toBe('welcome')
  expect(verdict({ host: 'files.test:8443', scheme: 'https' }, site)).toBe('foreign-host')
})

test('an http page of an https emulator’s host is foreign', () => {
  expect(verdict({ ...own, scheme: 'https', origin: 'http://localhost:4884' })).toBe('foreign-origin')
})

test('with TLS, a Host without a port means port 443', () => {
  const { localPort: _, ...rest } = request({ host: 'localhost', scheme: 'https' })
  expect(rejectUnauthorized({ ...rest, localPort: 443 }, { token: 't', siteUrl: undefined })).toBeUndefined()
})

test('a refusal for a missing token says how to send it', () => {
  const fault = rejectUnauthorized(request(remote), { token: 'the-token', siteUrl: undefined })
  expect(fault).toMatchObject({
    status: 401,
    body: { error: { hint: expect.stringContaining('Authorization: Bearer') } },
  })
  expect(JSON.stringify(fault)).not.toContain('the-token')
})
