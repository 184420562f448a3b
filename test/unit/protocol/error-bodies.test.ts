import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costOf, uploadPath } from '../../../src/protocol/endpoints.ts'
import { refusalMessages, refusingWindow, windowNames } from '../../../src/protocol/rate-limits.ts'
import { parseErrorBody } from '../../../src/protocol/resources.ts'

test('an error body of either shape gives its words, `error` before `message`', () => {
  expect(parseErrorBody({ error: 'Invalid API key.' })).toEqual({ message: 'Invalid API key.', shape: 'error' })
  expect(parseErrorBody({ message: 'Server Error' })).toEqual({ message: 'Server Error', shape: 'message' })
  expect(parseErrorBody({ error: 'a', message: 'b' })).toMatchObject({ message: 'a' })
  expect(parseErrorBody({ error: '', message: 'b' })).toEqual({ message: 'b', shape: 'message' })
})

test('field errors are read as lists of texts in every form', () => {
  expect(parseErrorBody({ message: 'm', errors: { file: ['a', 'b'], name: 'c' } }).fields).toEqual({
    file: ['a', 'b'],
    name: ['c'],
  })
})

test('reading an error body never throws', () => {
  fc.assert(
    fc.property(fc.anything(), (body) => {
      expect(() => parseErrorBody(body)).not.toThrow()
    }),
  )
})

test('each refusal text names its window', () => {
  for (const window of windowNames) expect(refusingWindow(refusalMessages[window])).toBe(window)
  expect(refusingWindow('Too Many Attempts.')).toBeUndefined()
})

test('an upload costs 10 units, a deletion 3, every other call 1', () => {
  expect(costOf('POST', '/api/upload')).toBe(10)
  expect(costOf('DELETE', '/api/uploads/x')).toBe(3)
  expect(costOf('GET', '/api/uploads')).toBe(1)
  expect(costOf('GET', '/api/upload')).toBe(1)
})

test.each(['', '.', '..', 'a\ud800'])('%j is not a slug: it would lead to another path', (slug) => {
  expect(() => uploadPath(slug)).toThrow(TypeError)
})
