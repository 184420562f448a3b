import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../../emulator/http-types.ts'
import { isUnchanged, rangeApplies } from '../../../../emulator/site/validators.ts'

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
