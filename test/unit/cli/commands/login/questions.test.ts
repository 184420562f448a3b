import { expect, test } from 'vitest'
import { wrongAnswer } from '../../../../../src/cli/commands/login.ts'
import { CliError } from '../../../../../src/cli/failures/cli-error.ts'
import {
  AccessDeniedError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
  UnexpectedResponseError,
} from '../../../../../src/index.ts'

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
