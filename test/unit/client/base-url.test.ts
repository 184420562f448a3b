import { expect, test } from 'vitest'
import { parseBaseUrl } from '../../../src/client/base-url.ts'
import { createRedactor } from '../../../src/client/exchange.ts'
import { parseProxy, proxyAuthorization, proxyFromEnvironment } from '../../../src/client/transports/open-connection.ts'

test.each([
  ['https://files.example', 'https://files.example'],
  ['https://files.example/', 'https://files.example'],
  ['https://files.example/sub/path//', 'https://files.example/sub/path'],
  [' https://Files.Example:443/ ', 'https://files.example'],
  ['http://127.0.0.1:4884', 'http://127.0.0.1:4884'],
  ['http://[::1]:4884', 'http://[::1]:4884'],
])('spec 1, silence 1: the base URL %s is read as %s', (value, expected) => {
  expect(parseBaseUrl(value)).toBe(expected)
})

test.each([
  ['files.example', /Not a URL: "files.example"/],
  ['', /Not a URL/],
  ['ftp://files.example', /must begin with https:\/\/ or http:\/\//],
  ['https://u:p@files.example', /must not contain a user name or password/],
  ['https://files.example/?a=1', /without \? or #/],
  ['https://files.example/x/api/', /must not end in \/api.*use https:\/\/files\.example\/x$/],
  ['http://files.example', /travel unencrypted to files\.example/],
])('the base URL %j is refused', (value, message) => {
  expect(() => parseBaseUrl(value)).toThrow(TypeError)
  expect(() => parseBaseUrl(value)).toThrow(message)
})

test('plain http to a foreign host is accepted if the caller allows it', () => {
  expect(parseBaseUrl('http://files.example', true)).toBe('http://files.example')
})

test.each([
  ['https://files.example', { HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128/'],
  ['https://files.example', { https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' }, 'http://lower:1/'],
  ['https://files.example', { HTTP_PROXY: 'http://p:3128' }, undefined],
  ['https://files.example', { ALL_PROXY: 'p:3128' }, 'http://p:3128/'],
  ['http://files.example', { http_proxy: 'p:3128' }, 'http://p:3128/'],
  ['http://127.0.0.1:4884', { ALL_PROXY: 'p:3128' }, undefined],
  ['http://[::1]:4884', { ALL_PROXY: 'p:3128' }, undefined],
  ['https://files.example', { ALL_PROXY: 'p:1', NO_PROXY: 'files.example:443' }, undefined],
  ['https://files.example', {}, undefined],
  // As the env files of Docker keep them.
  ['https://files.example', { HTTPS_PROXY: '"http://p:1"' }, 'http://p:1/'],
  ['https://files.example', { HTTPS_PROXY: '""', ALL_PROXY: "'p:2'" }, 'http://p:2/'],
  ['https://files.example', { HTTPS_PROXY: 'p:1', NO_PROXY: '"files.example"' }, undefined],
])('%s with %j goes through %s', (url, env, expected) => {
  expect(proxyFromEnvironment(new URL(url), env)?.url).toBe(expected)
})

const name = 'http://files.example:8080'
const four = 'http://10.1.2.3:8080'
const six = 'http://[2001:db8::1]:8080'

test.each([
  ['*', [name, four, six], []],
  ['*:8080', [name, four, six], ['http://files.example']],
  ['*:443', ['https://10.1.2.3', 'https://files.example'], [name, four, six]],
  ['other\t.files.example, ,', [name, 'http://a.files.example'], ['http://xfiles.example']],
  ['*.files.example', [name, 'http://a.b.files.example:1'], ['http://files.example.org']],
  ['FILES.example.', [name, 'http://files.example.'], [four]],
  ['.files.example:8080', [name, 'http://a.files.example:8080'], ['http://files.example:80']],
  ['10.1.2.3', [four], ['http://10.1.2.30']],
  ['10.1.2.3:8080', [four], ['http://10.1.2.3']],
  ['10.0.0.0/8', [four], ['http://11.1.2.3', name]],
  ['10.0.0.0/8:8080', [four], ['http://10.1.2.3']],
  ['10.0.0.0/,10.0.0.0/99,10.0.0.0/1e0,10.0.0.0/-1,10.0.0.0/ 8,::/', [], [four, six]],
  ['0.0.0.0/0', [four], [name, six]],
  ['2001:DB8:0::1', [six], ['http://[2001:db8::2]:8080']],
  ['2001:db8::1:8080', [], [six]],
  ['[2001:db8::1]', [six], ['http://[2001:db8::2]:8080']],
  ['[2001:db8::1]:8080', [six], ['http://[2001:db8::1]']],
  ['2001:db8::/32 [fd00::]/8', [six, 'http://[fdab::1]'], ['http://[2001:db9::1]']],
  [':8080,.,*.,[],[]:8080,:', [], [name, four, six]],
])('of NO_PROXY %j, %j are reached directly and %j through the proxy', (entries, direct, proxied) => {
  const isProxied = (url: string) =>
    proxyFromEnvironment(new URL(url), { ALL_PROXY: 'p:1', NO_PROXY: entries }) !== undefined
  expect([...direct, ...proxied].filter(isProxied)).toEqual(proxied)
})

test('the variable that names a proxy is known, and named where its value is no proxy', () => {
  const url = new URL('https://files.example')
  expect(proxyFromEnvironment(url, { https_proxy: 'p:1', ALL_PROXY: 'p:2' })?.place).toBe('https_proxy')
  expect(() => proxyFromEnvironment(url, { ALL_PROXY: 'socks5://p' })).toThrow('ALL_PROXY: Only http:// and https://')
})

test('a proxy that is not an HTTP proxy is refused, and the error hides its password', () => {
  expect(() => parseProxy('socks5://user:secret@p:1080')).toThrow(
    'Only http:// and https:// proxies can be used, not "socks5://p:1080"',
  )
})

test.each([
  ['http://us%65r:se%cret@p:1080', 'user:se%cret'],
  ['http://%ff:%C3%A9@p', '\xff:\xc3\xa9'],
  ['http://p', undefined],
])('the credentials of the proxy %s are its bytes %j, a lone %% among them', (url, expected) => {
  const { 'proxy-authorization': header } = proxyAuthorization(new URL(parseProxy(url)))
  expect(header).toBe(expected && `Basic ${Buffer.from(expected, 'latin1').toString('base64')}`)
})

test('the key is redacted as it is and percent-encoded', () => {
  const redact = createRedactor('a+b/c')
  expect(redact('key a+b/c, ?api_key=a%2Bb%2Fc')).toBe('key [redacted], ?api_key=[redacted]')
})
