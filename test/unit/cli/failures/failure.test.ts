import { expect, test } from 'vitest'
import { describeFailure } from '../../../../src/cli/failures/failure.ts'
import { ThroughProxyError } from '../../../../src/client/transports/open-connection.ts'
import { ConnectionError, SourceError, TransportError } from '../../../../src/index.ts'

const refused = (address: string) => Object.assign(new Error('reworded'), { code: 'ECONNREFUSED', address })
const unreachable = (cause?: unknown) => new TransportError('unreachable', 'reworded', { cause })
const proxied = (cause?: unknown, place?: string) =>
  new ThroughProxyError(unreachable(cause), { url: 'http://proxy.example:1', place })
const noTls = Object.assign(new Error('reworded'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' })

test.each([
  ['a refused connection', unreachable(refused('192.0.2.1')), /^Nothing listens there\. Is the address right\?/],
  ['one over IPv6', unreachable(refused('::1')), /^Nothing listens there\. /],
  ['a port without TLS', new TransportError('wrong-scheme', 'reworded', { cause: noTls }), /^Check the port/],
  ['a proxy that is not there', proxied(refused('127.0.0.1'), '--proxy'), /^Check the proxy \(--proxy\),/],
  ['a proxy that does not connect', proxied(undefined, 'HTTP_PROXY'), /^Check the proxy \(HTTP_PROXY\),/],
])('the hint for %s does not hang on the words of its error', (_, cause, hint) => {
  expect(describeFailure(new ConnectionError('reworded', { cause })).hint).toMatch(hint)
  if (!(cause instanceof ThroughProxyError)) return
  expect(describeFailure(new SourceError('unreadable', 'reworded', { cause })).hint).toMatch(hint)
})

test('a file of another type may be left to the service, but not the page of an upload', () => {
  const refusal = new SourceError('unsupported-type', 'a.txt is of no known type', { hint: 'reworded' })
  expect(describeFailure(refusal).hint).toBe('reworded; --any-type lets the service decide')
  const page = new SourceError('unsupported-type', 'a page', { hint: 'It shows an upload', cause: refusal })
  expect(describeFailure(page).hint).toBe('It shows an upload')
})
