import { expect, test } from 'vitest'
import { TransportError, toTransportError } from '../../../../src/client/transports/transport.ts'

const system = (code: string, syscall?: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
const refusal = system('ECONNREFUSED', 'connect')

test.each([
  ['ECONNREFUSED while connecting', refusal, 'unreachable'],
  ['a name that is not found', system('ENOTFOUND', 'getaddrinfo'), 'unreachable'],
  ['no route while connecting', system('EHOSTUNREACH', 'connect'), 'unreachable'],
  ['no route on an established connection', system('EHOSTUNREACH', 'write'), 'interrupted'],
  ['a network that went down', system('ENETDOWN', 'read'), 'interrupted'],
  ['bytes that are no TLS after the request', system('ERR_SSL_WRONG_VERSION_NUMBER'), 'interrupted'],
  ['a TLS alert after the request', system('EPROTO'), 'interrupted'],
  ['a reset', system('ECONNRESET', 'read'), 'interrupted'],
  ['no connection in time', system('UND_ERR_CONNECT_TIMEOUT'), 'unreachable'],
  ['no answer in time', system('UND_ERR_HEADERS_TIMEOUT'), 'timeout'],
  ['a certificate that is not trusted', system('DEPTH_ZERO_SELF_SIGNED_CERT'), 'untrusted'],
  ['a certificate that has expired', system('CERT_HAS_EXPIRED'), 'untrusted'],
  ['a certificate of another name', system('ERR_TLS_CERT_ALTNAME_INVALID'), 'untrusted'],
  ['several addresses that all refused', new AggregateError([refusal]), 'unreachable'],
  ['fetch wrapping a refusal', new TypeError('failed', { cause: refusal }), 'unreachable'],
])('%s is reported as %s', (_, error, failure) => {
  expect(toTransportError(error)).toMatchObject({ name: 'TransportError', failure })
})

test.each([
  [system('DEPTH_ZERO_SELF_SIGNED_CERT'), true],
  [system('ECONNREFUSED', 'connect'), false],
])('%s is permanent: %s', (error, permanent) => {
  expect(toTransportError(error)).toMatchObject({ permanent })
})

test('what Node advises about its own flags is no part of a transport error, but of its cause', () => {
  const code = 'DEPTH_ZERO_SELF_SIGNED_CERT'
  const advice = '; if the root CA is installed locally, try running Node.js with --use-system-ca'
  const cause = Object.assign(new Error(`self-signed certificate${advice}`), { code })
  expect(toTransportError(cause)).toMatchObject({ message: 'self-signed certificate', cause })
})

test('a transport error stays the same, however it was wrapped', () => {
  const own = new TransportError('timeout', 'nothing moved')
  expect(toTransportError(new Error('outer', { cause: own }))).toBe(own)
})

test('a programming mistake is not reported as a network failure', () => {
  const mistake = new TypeError('x is not a function')
  expect(toTransportError(mistake)).toBe(mistake)
})
