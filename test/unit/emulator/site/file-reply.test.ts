import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../../emulator/http-types.ts'
import { isUnchanged, rangeApplies, selectRange } from '../../../../emulator/site/files/file-reply.ts'

test.each([
  ['bytes=4-99', { start: 4, end: 9 }],
  ['bytes=-1', { start: 9, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['  Bytes = 1 - 2  ', { start: 1, end: 2 }],
  [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
  ['bytes=0-1,4-5', 'whole'],
  ['bytes=5-4', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=a-b', 'whole'],
  [undefined, 'whole'],
])('of ten bytes, %s selects %j', (header, range) => {
  expect(selectRange(header, 10)).toEqual(range)
})

test('a range selects nothing of an empty file', () => {
  expect(['bytes=0-', 'bytes=-5'].map((header) => selectRange(header, 0))).toEqual(['unsatisfiable', 'unsatisfiable'])
})

const requestWith = (headers: HttpRequest['headers']) => ({ headers }) as HttpRequest

const file = { etag: '"abc"', modifiedAt: Date.UTC(2026, 0, 15, 12, 0, 0, 500) }
const sameSecond = 'Thu, 15 Jan 2026 12:00:00 GMT'
const before = 'Thu, 15 Jan 2026 11:59:59 GMT'
const after = 'Thu, 15 Jan 2026 12:00:01 GMT'

test.each([
  [{ 'if-none-match': 'W/"abc"' }, true],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-none-match': '"x"', 'if-modified-since': sameSecond }, false],
  [{ 'if-modified-since': sameSecond }, true],
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
  [{ 'if-range': sameSecond }, true],
  [{ 'if-range': after }, false],
  [{ 'if-range': 'yesterday' }, false],
])('with the request headers %j a range applies: %s', (headers, applies) => {
  expect(rangeApplies(requestWith(headers), file)).toBe(applies)
})
