import { expect, test } from 'vitest'
import { keysOf, redactHeaders, redactPath } from '../../../../../src/cli/commands/emulate/redact-request.ts'

test.each([
  ['/api/stats', '/api/stats'],
  ['/api/uploads?page=2', '/api/uploads?page=2'],
  ['/api/uploads?api_key=secret&page=2', '/api/uploads?api_key=[redacted]&page=2'],
  ['/api/uploads?page=2&api%5Fkey=secret', '/api/uploads?page=2&api%5Fkey=[redacted]'],
  ['/api/uploads?api_key[]=secret', '/api/uploads?api_key[]=[redacted]'],
  ['/api/uploads?x=a?b', '/api/uploads?x=a?b'],
])('the path %s is shown as %s', (url, shown) => {
  expect(redactPath(url)).toBe(shown)
})

test('secret headers are redacted, and so is the key in every other header', () => {
  const headers = {
    'X-Api-Key': 'k1',
    Cookie: 's',
    referer: 'http://h/?api_key=k2',
    accept: ['a', 'b'],
    'x-other': 'is k1',
  }
  const keys = keysOf('/api/stats?api_key=k2', { 'x-api-key': 'k1' })
  expect(keys).toEqual(['k1', 'k2'])
  expect(redactHeaders(headers, keys)).toEqual({
    'X-Api-Key': '[redacted]',
    Cookie: '[redacted]',
    referer: 'http://h/?api_key=[redacted]',
    accept: 'a, b',
    'x-other': 'is [redacted]',
  })
})
