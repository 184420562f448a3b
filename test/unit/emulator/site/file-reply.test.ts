import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../../emulator/http.ts'
import { isUnchanged, rangeApplies, selectRange } from '../../../../emulator/site/files/file-reply.ts'

const huge = '9'.repeat(400)

test.each([
  ['4-9', ['bytes=4-99']],
  ['9-9', ['bytes=-1']],
  ['0-9', ['bytes=-99', `bytes=0-${huge}`]],
  ['1-2', ['  Bytes = 1 - 2  ']],
  ['unsatisfiable', ['bytes=10-', 'bytes=-0', `bytes=${huge}-`]],
  ['whole', ['bytes=0-1,4-5', 'bytes=5-4', 'lines=0-1', 'bytes=a-b', undefined]],
])('of ten bytes, %s is selected by %j, and nothing of an empty file by any range', (selected, headers) => {
  const [start, end] = selected.split('-').map(Number)
  for (const header of headers) expect(selectRange(header, 10)).toEqual(end === undefined ? selected : { start, end })
  expect(['bytes=0-', 'bytes=-5'].map((header) => selectRange(header, 0))).toEqual(['unsatisfiable', 'unsatisfiable'])
})

const requestWith = (headers: HttpRequest['headers']) => ({ headers }) as HttpRequest

const file = { etag: '"abc"', modifiedAt: Date.UTC(2026, 0, 15, 12, 0, 0, 500) }
const sameSecond = 'Thu, 15 Jan 2026 12:00:00 GMT'
const before = 'Thu, 15 Jan 2026 11:59:59 GMT'
const after = 'Thu, 15 Jan 2026 12:00:01 GMT'

test('a file is unchanged by its tag, else by its time', () => {
  const isSame = (headers: HttpRequest['headers']) => isUnchanged(requestWith(headers), file)
  const since = [sameSecond, before, 'yesterday']
  expect(['W/"abc"', '*'].map((tag) => isSame({ 'if-none-match': tag }))).toEqual([true, true])
  expect(since.map((time) => isSame({ 'if-modified-since': time }))).toEqual([true, false, false])
  expect([isSame({ 'if-none-match': '"x"', 'if-modified-since': sameSecond }), isSame({})]).toEqual([false, false])
})

test('a range applies to the version that it names, or if it names none', () => {
  const versions = ['"abc"', 'W/"abc"', sameSecond, after, 'yesterday']
  const applies = versions.map((version) => rangeApplies(requestWith({ 'if-range': version }), file))
  expect(applies).toEqual([true, false, true, false, false])
  expect(rangeApplies(requestWith({}), file)).toBe(true)
})
