import { expect, test } from 'vitest'
import { isSameService } from '../../../../src/cli/config/key-address.ts'

test.each([
  ['https://files.example', 'https://files.example/'],
  ['https://files.example/base', 'https://files.example/base/api/'],
  ['https://files.example', 'https://FILES.example:443'],
  ['http://files.example', 'https://files.example'],
  ['http://127.0.0.1:4884', 'http://localhost:4884'],
  ['http://[::1]:4884', 'http://127.0.0.1:4884'],
  ['files.example/api', 'https://files.example'],
])('a key stored with %s may go to %s', (stored, asked) => {
  expect(isSameService(stored, asked)).toBe(true)
})

test.each([
  ['https://files.example', 'http://files.example'],
  ['https://files.example', 'https://files.example:8443'],
  ['https://files.example', 'https://files.example.evil'],
  ['https://files.example', 'https://evil.example/https://files.example'],
  ['https://files.example/a', 'https://files.example/b'],
  ['https://files.example', 'https://user@other.example'],
  ['http://127.0.0.1:4884', 'http://127.0.0.1:4885'],
  ['http://127.0.0.1', 'http://127.0.0.1.evil.example'],
  ['no address', 'no address'],
  ['files.example', 'http://files.example'],
])('a key stored with %s may not go to %s', (stored, asked) => {
  expect(isSameService(stored, asked)).toBe(false)
})
