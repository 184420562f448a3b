import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keysOf, ownerOf, redactHeaders, redactPath } from '../../../../../src/cli/commands/emulate/request-watch.ts'

const at = (ms: number) => new Date(ms).toISOString()
const arrived = (arrivedAt: number, path = '/api/stats', method = 'GET') => ({ arrivedAt, path, method })

test('a log entry is matched to the latest request that had arrived by its time, in any order of answers', () => {
  const instants = fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(instants, fc.double({ min: 0, max: 0.9, noNaN: true }), fc.func(fc.nat()), (times, part, order) => {
      let waiting = times.toSorted((a, b) => a - b).map((ms) => arrived(ms + part))
      for (const ms of times.toSorted((a, b) => order(a) - order(b))) {
        const owner = ownerOf({ method: 'GET', endpoint: '/api/stats', at: at(ms) }, waiting)
        expect(owner?.arrivedAt).toBe(ms + part)
        waiting = waiting.filter((one) => one !== owner)
      }
    }),
  )
})

test('on a clock that stands still, log entries are matched by method and path, then by order of arrival', () => {
  const [read, removal, again] = [arrived(5), arrived(5, '/api/stats', 'DELETE'), arrived(5)]
  const waiting = [arrived(5, '/api/uploads'), read, removal, again]
  expect(ownerOf({ method: 'DELETE', endpoint: '/api/stats', at: at(5) }, waiting)).toBe(removal)
  expect(ownerOf({ method: 'GET', endpoint: '/api/stats', at: at(5) }, waiting)).toBe(read)
  expect(ownerOf({ method: 'GET', endpoint: '/api/other', at: at(5) }, waiting)).toBeUndefined()
})

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
