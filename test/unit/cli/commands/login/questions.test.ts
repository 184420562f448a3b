import { expect, test } from 'vitest'
import { addressToOffer, readPastedKey, wrongAnswer } from '../../../../../src/cli/commands/login.ts'
import { CliError } from '../../../../../src/cli/failures/cli-error.ts'
import {
  AccessDeniedError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  TransportError,
  UnavailableError,
  UnexpectedResponseError,
} from '../../../../../src/index.ts'

test.each([
  ['s3cret'],
  ['  s3cret\r\n'],
  ['"s3cret"'],
  ['Bearer s3cret'],
  ['X-API-Key: s3cret'],
  ['x-api-key:s3cret'],
  ["'X-Api-Key: s3cret'"],
  ['Authorization: Bearer s3cret'],
  ['FH_API_KEY=s3cret'],
  ['export FH_API_KEY="s3cret"'],
  ['\u001b[200~s3cret\u001b[201~'],
])('%j is read as the key in it', (pasted) => {
  expect(readPastedKey(pasted)).toBe('s3cret')
})

test.each([['bearer-of-news'], ['api_key_17'], ['exported'], ['12|a:b=c==']])('the key %s stays whole', (key) => {
  expect(readPastedKey(key)).toBe(key)
})

test.each([
  ['address', new ConnectionError('refused')],
  ['address', new TimeoutError('slow')],
  ['address', new UnexpectedResponseError('an HTML page', { status: 200 })],
  ['address', new UnexpectedResponseError('a redirect', { status: 301 })],
  ['address', new NotFoundError('404', { status: 404 })],
  ['address', new AuthenticationError('401 of a proxy', { status: 401 })],
  ['key', new AuthenticationError('401', { status: 401, serviceMessage: 'Invalid API key.' })],
  [undefined, new UnexpectedResponseError('trouble', { status: 502 })],
  [undefined, new AccessDeniedError('403', { status: 403, serviceMessage: 'Suspended.' })],
  [undefined, new UnavailableError('503', { status: 503, retryAfterMs: 0 })],
  [undefined, new RateLimitError('429', { status: 429, retryAfterMs: 0 })],
  [undefined, new CliError('config-unusable', 'full disk')],
  [undefined, new DOMException('stopped', 'AbortError')],
])('%s is asked again after %s', (question, error) => {
  expect(wrongAnswer(error)).toBe(question)
})

test('after a failure the host alone is offered, the other scheme where that was wrong, and else the same address', () => {
  const failed = (failure: 'wrong-scheme' | 'unreachable') =>
    new ConnectionError('failed', { cause: new TransportError(failure, 'failed') })
  const page = new UnexpectedResponseError('an HTML page', { status: 404 })
  expect(addressToOffer(page, 'https://files.example/konto')).toBe('https://files.example')
  expect(addressToOffer(failed('unreachable'), 'https://files.example/site')).toBe('https://files.example/site')
  expect(addressToOffer(failed('wrong-scheme'), 'https://localhost:4884')).toBe('http://localhost:4884')
  expect(addressToOffer(failed('wrong-scheme'), 'https://files.example')).toBe('https://files.example')
})
