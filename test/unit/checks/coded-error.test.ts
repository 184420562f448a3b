import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { DataFolderError, EmulatorError, SeedError, SnapshotError } from '../../../emulator/index.ts'
import { invalidValue } from '../../../src/checks/coded-error.ts'
import {
  NotFoundError,
  RateLimitError,
  SourceError,
  TransportError,
  UnknownOutcomeError,
  ValidationError,
} from '../../../src/index.ts'

const request = { method: 'POST', path: '/api/upload' }
const parse = (error: unknown) => JSON.parse(JSON.stringify(error))

test('an error of the library keeps its words and fields as JSON', () => {
  const cause = new TransportError('interrupted', 'the connection was cut', { cause: new Error('read ECONNRESET') })
  const intent = { size: 5, mimeType: 'image/png', startedAt: 1, endedAt: null, knownSlugs: ['a'] }
  const error = new UnknownOutcomeError('It may be stored', { request, status: 502, hint: 'Look', cause, intent })
  expect(parse(error)).toEqual({
    name: 'UnknownOutcomeError',
    message: 'It may be stored',
    code: 'outcome-unknown',
    hint: 'Look',
    request,
    status: 502,
    intent,
    candidates: [],
    cause: { name: 'TransportError', message: 'the connection was cut', code: 'transport-interrupted' },
  })
  expect(Object.keys(parse(error)).slice(0, 4)).toEqual(['name', 'message', 'code', 'hint'])
  expect(error.cause).toBe(cause)
})

test.each([
  [new ValidationError('no', { fields: { a: ['b'] } }), { code: 'validation-failed', fields: { a: ['b'] } }],
  [new RateLimitError('no', { retryAfterMs: 9 }), { code: 'rate-limited', retryAfterMs: 9 }],
  [new SourceError('empty', 'no'), { name: 'SourceError', code: 'source-empty' }],
  [new TransportError('timeout', 'no'), { code: 'transport-timeout', failure: 'timeout', mayHaveArrived: true }],
  [invalidValue('no'), { name: 'TypeError', code: 'invalid-value' }],
  [new SeedError('no'), { name: 'SeedError', code: 'invalid-seed' }],
  [new SnapshotError('no'), { name: 'SnapshotError', code: 'invalid-snapshot' }],
  [new DataFolderError('no'), { name: 'DataFolderError', code: 'unusable-data-folder' }],
  [new EmulatorError('port-taken', 'no'), { name: 'EmulatorError', code: 'port-taken' }],
])('%s has its message and code as JSON', (error, fields) => {
  expect(parse(error)).toMatchObject({ message: 'no', ...fields })
})

test('an error stays readable when it is inspected or cloned', () => {
  const error = new NotFoundError('There is no upload a', { status: 404, hint: 'Look', cause: new Error('below') })
  expect(inspect(error)).toMatch(/^NotFoundError: There is no upload a\n.*status: 404.*code: 'not-found'.*below/s)
  const clone = structuredClone(error)
  expect(clone).toMatchObject({ message: 'There is no upload a', cause: { message: 'below' } })
  expect(inspect(clone)).toContain('There is no upload a')
})

test('a foreign cause gives its name, message and code and none of its other fields', () => {
  const told = { code: 'ECONNREFUSED' }
  const cause = Object.assign(new Error('refused'), { ...told, headers: { 'x-api-key': 'KEY' } })
  expect(parse(new NotFoundError('no', { cause })).cause).toEqual({ name: 'Error', message: 'refused', ...told })
})
