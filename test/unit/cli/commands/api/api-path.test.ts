import { expect, test } from 'vitest'
import { parseApiPath } from '../../../../../src/cli/commands/api.ts'

const base = 'https://files.example/below'

test.each([
  ['https://files.example/below/api/uploads?page=2', '/api/uploads?page=2'],
  ['http://files.example/below/api/stats', '/api/stats'],
  ['api/uploads?page=2', '/api/uploads?page=2'],
  ['stats#part', '/api/stats'],
  ['apiary', '/api/apiary'],
  ['a b/../c d', '/api/c%20d'],
])('the argument %s calls %s', (text, path) => {
  expect(parseApiPath(text, base)).toBe(path)
})

test.each([
  ...['https://files.example/api/stats', 'https://files.example.evil/below/api/x', 'api', '', '/'],
  ...['a/../../b', '../stats', '/api/%2e%2e/x', 'a/..', '?page=2'],
])('%j is refused as an API path', (text) => {
  expect(() => parseApiPath(text, base)).toThrow(/./)
})
