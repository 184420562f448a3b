import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../../emulator/http-types.ts'
import { isUnchanged, rangeApplies, selectRange } from '../../../../emulator/site/files/file-reply.ts'

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=2-4', { start: 2, end: 4 }],
  ['bytes=9-9', { start: 9, end: 9 }],
  ['bytes=4-99', { start: 4, end: 9 }],
  ['bytes=0-', { start: 0, end: 9 }],
  ['bytes=9-', { start: 9, end: 9 }],
  ['bytes=-1', { start: 9, end: 9 }],
  ['bytes=-10', { start: 0, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['  Bytes = 1 - 2  ', { start: 1, end: 2 }],
  [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 9 }],
])('of ten bytes, %s selects %j', (header, range) => {
  expect(selectRange(header, 10)).toEqual(range)
})

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
  'of ten bytes, %s selects none',
  (header) => {
    expect(selectRange(header, 10)).toBe('unsatisfiable')
  },
)

test.each([
  ['several ranges', 'bytes=0-1,4-5'],
  ['an end before the start', 'bytes=5-4'],
  ['another unit', 'lines=0-1'],
  ['no bounds', 'bytes=-'],
  ['a negative start', 'bytes=-1-2'],
  ['letters', 'bytes=a-b'],
  ['nothing', ''],
  ['no header', undefined],
])('%s selects the whole file', (_, header) => {
  expect(selectRange(header, 10)).toBe('whole')
})

test.each(['bytes=0-', 'bytes=-5'])('%s selects nothing of an empty file', (header) => {
  expect(selectRange(header, 0)).toBe('unsatisfiable')
})

test('every selected range exists and was requested', () => {
  const numbers = fc.nat({ max: 50 })
  fc.assert(
    fc.property(numbers, numbers, fc.integer({ min: 1, max: 40 }), (start, length, size) => {
      const bytes = Array.from({ length: size }, (_, index) => index)
      const selected = selectRange(`bytes=${start}-${start + length}`, size)
      const asked = bytes.slice(start, start + length + 1)
      expect(typeof selected === 'object' ? bytes.slice(selected.start, selected.end + 1) : []).toEqual(asked)
    }),
  )
})

const nothing = {
  async *[Symbol.asyncIterator]() {},
}

function requestWith(headers: HttpRequest['headers']): HttpRequest {
  return { method: 'GET', url: '/', origin: 'http://h', clientIp: '127.0.0.1', body: nothing, headers }
}

const file = { etag: '"abc"', modifiedAt: Date.UTC(2026, 0, 15, 12, 0, 0, 500) }
const sameSecond = 'Thu, 15 Jan 2026 12:00:00 GMT'
const before = 'Thu, 15 Jan 2026 11:59:59 GMT'
const after = 'Thu, 15 Jan 2026 12:00:01 GMT'

test.each([
  [{ 'if-none-match': '"abc"' }, true],
  [{ 'if-none-match': 'W/"abc"' }, true],
  [{ 'if-none-match': '"x", "abc"' }, true],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-none-match': '"x"' }, false],
  [{ 'if-none-match': '"x"', 'if-modified-since': sameSecond }, false],
  [{ 'if-modified-since': sameSecond }, true],
  [{ 'if-modified-since': after }, true],
  [{ 'if-modified-since': before }, false],
  [{ 'if-modified-since': 'yesterday' }, false],
  [{}, false],
])('with the request headers %j the file is unchanged: %s', (headers, unchanged) => {
  expect(isUnchanged(requestWith(headers), file)).toBe(unchanged)
})

test.each([
  [{}, true],
  [{ 'if-range': '"abc"' }, true],
  [{ 'if-range': 'W/"abc"' }, false],
  [{ 'if-range': '"x"' }, false],
  [{ 'if-range': sameSecond }, true],
  [{ 'if-range': before }, false],
  [{ 'if-range': after }, false],
  [{ 'if-range': 'yesterday' }, false],
])('with the request headers %j a range applies: %s', (headers, applies) => {
  expect(rangeApplies(requestWith(headers), file)).toBe(applies)
})
