import { expect, test } from 'vitest'
import { type AskedFor, judgeAccess } from '../../../../../emulator/control/http/access-guard.ts'
import type { HttpRequest } from '../../../../../emulator/http.ts'

interface Caller {
  readonly from?: string
  readonly host?: string
  readonly origin?: string
  readonly bearer?: string
  readonly scheme?: string
  /** Sent through fetch, without a socket. */
  readonly inProcess?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly httpVersion?: string
  readonly asked?: AskedFor
  readonly method?: string
}

function request({
  from = '127.0.0.1',
  host,
  origin,
  bearer,
  scheme = 'http',
  inProcess = false,
  headers = {},
  httpVersion = '1.1',
  method = 'POST',
}: Caller): HttpRequest {
  return {
    method,
    url: '/_emulator/reset',
    origin: `${scheme}://${host ?? 'h'}`,
    headers: {
      ...(host !== undefined && !inProcess && { host }),
      ...(origin !== undefined && { origin }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    clientIp: from,
    ...(inProcess ? {} : { localPort: 4884, httpVersion }),
    body: (async function* () {})(),
  }
}

function verdict(caller: Caller, siteUrl?: string): string {
  const refusal = judgeAccess(request(caller), { token: 'the-token', siteUrl }, caller.asked ?? 'api')
  return refusal?.body.error.code ?? 'welcome'
}

const own = { host: 'localhost:4884' }
const remote = { from: '192.0.2.7', host: '192.0.2.1:4884' }

const ofSite = (site: string, mode = 'no-cors', dest = 'image') => ({
  ...own,
  method: 'GET',
  headers: { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
})
const link = ofSite('cross-site', 'navigate', 'document')

test.each<[string, Caller, string]>([
  ['a program on this machine', own, 'welcome'],
  ['a program that uses another loopback address', { host: '127.1.2.3:4884', from: '127.1.2.3' }, 'welcome'],
  ['a program that uses IPv6', { host: '[::1]:4884', from: '::1' }, 'welcome'],
  ['a program that uses a subdomain of localhost', { host: 'files.localhost:4884' }, 'welcome'],
  ['the emulator’s own page', { ...own, origin: 'http://localhost:4884' }, 'welcome'],
  ['the emulator’s own page by its other name', { ...own, origin: 'http://127.0.0.1:4884' }, 'welcome'],
  ['a page of another origin', { ...own, origin: 'https://evil.example' }, 'foreign-origin'],
  ['a page of another port', { ...own, origin: 'http://localhost:3000' }, 'foreign-origin'],
  ['a page with the origin null', { ...own, origin: 'null' }, 'foreign-origin'],
  ['a foreign name that resolves to this machine', { host: 'evil.example:4884' }, 'foreign-host'],
  ['a name that begins with localhost', { host: 'localhost.evil.example:4884' }, 'foreign-host'],
  ['localhost with another port', { host: 'localhost:80' }, 'foreign-host'],
  ['another machine', remote, 'token-required'],
  ['another machine that claims to be this one', { ...remote, host: 'localhost:4884' }, 'token-required'],
  ['another machine with a wrong token', { ...remote, bearer: 'a-token' }, 'token-required'],
  ['another machine with the token', { ...remote, bearer: 'the-token' }, 'welcome'],
  ['its page there, with the token', { ...remote, bearer: 'the-token', origin: 'http://192.0.2.1:4884' }, 'welcome'],
  ['another page with the token', { ...remote, bearer: 'the-token', origin: 'https://evil.example' }, 'foreign-origin'],
  ['this machine under another name, with the token', { host: 'emulator:4884', bearer: 'the-token' }, 'welcome'],
  ['a page in the same process', { inProcess: true, origin: 'http://localhost:3000' }, 'welcome'],
  ['a foreign page in the same process', { inProcess: true, origin: 'https://evil.example' }, 'foreign-origin'],
  [
    'an http page of an https emulator’s host',
    { ...own, scheme: 'https', origin: 'http://localhost:4884' },
    'foreign-origin',
  ],
  ['an image of another site', ofSite('cross-site'), 'foreign-origin'],
  ['such an image with the token', { ...ofSite('same-site'), bearer: 'the-token' }, 'foreign-origin'],
  ['the dashboard’s own page', ofSite('same-origin'), 'welcome'],
  ['an address that a person typed', ofSite('none'), 'welcome'],
  ['a link to the control API', link, 'foreign-origin'],
  ['a link to the dashboard', { ...link, asked: 'page' }, 'welcome'],
  ['a link to a part of the dashboard', { ...link, asked: 'dashboard' }, 'foreign-origin'],
  ['a form of another site for the dashboard', { ...link, asked: 'page', method: 'POST' }, 'foreign-origin'],
  ['the dashboard in a frame', { ...ofSite('cross-site', 'navigate', 'iframe'), asked: 'page' }, 'foreign-origin'],
])('the access guard answers %s: %s %s', (_, caller, answer) => {
  expect(verdict(caller)).toBe(answer)
})

const throughProxy = (name: string) => ({ ...own, headers: { [name]: '192.0.2.7' } })

test.each<[string, Caller]>([
  ['X-Forwarded-For', throughProxy('x-forwarded-for')],
  ['X-Real-IP', throughProxy('x-real-ip')],
  ['Forwarded', throughProxy('forwarded')],
  ['Via', throughProxy('via')],
  ['HTTP/1.0, as nginx speaks it', { ...own, httpVersion: '1.0' }],
  ['X-Forwarded-For in the same process', { inProcess: true, headers: { 'x-forwarded-for': '127.0.0.1' } }],
])('a request with %s is not taken for one of this machine, and the token lets it pass', (_, caller) => {
  expect([verdict(caller), verdict({ ...caller, bearer: 'the-token' })]).toEqual(['through-proxy', 'welcome'])
})

test('the host of siteUrl is foreign without the token, and so are its pages elsewhere', () => {
  const site = 'https://files.test'
  const page = { host: 'files.test', origin: site, scheme: 'https' }
  expect(verdict({ host: 'files.test', scheme: 'https' }, site)).toBe('foreign-host')
  expect(verdict(page, site)).toBe('foreign-host')
  expect(verdict({ ...own, origin: site }, site)).toBe('foreign-origin')
  expect(verdict({ ...own, bearer: 'the-token', origin: site }, site)).toBe('foreign-origin')
  expect(verdict({ ...page, bearer: 'the-token' }, site)).toBe('welcome')
  expect(verdict({ ...page, bearer: 'the-token', scheme: 'http' }, site)).toBe('welcome')
  expect(verdict({ host: 'files.test:8443', scheme: 'https' }, site)).toBe('foreign-host')
})

test('the host of siteUrl has no dashboard, with the token or without', () => {
  const caller = { host: 'files.test', asked: 'page', bearer: 'the-token' } as const
  expect(verdict(caller, 'https://files.test')).toBe('foreign-host')
  expect(verdict(caller, 'https://other.test')).toBe('welcome')
  expect(verdict({ ...own, asked: 'page' }, 'http://localhost:4884')).toBe('welcome')
})

test('with TLS, a Host without a port means port 443', () => {
  const { localPort: _, ...rest } = request({ host: 'localhost', scheme: 'https' })
  expect(judgeAccess({ ...rest, localPort: 443 }, { token: 't', siteUrl: undefined }, 'api')).toBeUndefined()
})

test('a refusal for a missing token says how to send it', () => {
  const fault = judgeAccess(request(remote), { token: 'the-token', siteUrl: undefined }, 'api')
  expect(fault).toMatchObject({
    status: 401,
    body: { error: { hint: expect.stringContaining('Authorization: Bearer') } },
  })
  expect(JSON.stringify(fault)).not.toContain('the-token')
})
