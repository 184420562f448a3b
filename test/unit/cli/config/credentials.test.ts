import { expect, test } from 'vitest'
import { isSameService } from '../../../../src/cli/config/credentials.ts'

test.each([
  ['https://files.example', 'https://files.example/', true],
  ['https://files.example/base', 'https://files.example/base/api/', true],
  ['https://files.example', 'https://FILES.example:443', true],
  ['http://files.example', 'https://files.example', true],
  ['http://[::1]:4884', 'http://127.0.0.1:4884', true],
  ['files.example/api', 'https://files.example', true],
  ['https://files.example', 'http://files.example', false],
  ['https://files.example', 'https://files.example:8443', false],
  ['https://files.example', 'https://files.example.evil', false],
  ['https://files.example', 'https://evil.example/https://files.example', false],
  ['https://files.example/a', 'https://files.example/b', false],
  ['https://files.example', 'https://user@other.example', false],
  ['http://127.0.0.1:4884', 'http://127.0.0.1:4885', false],
  ['http://127.0.0.1', 'http://127.0.0.1.evil.example', false],
  ['no address', 'no address', false],
  ['files.example', 'http://files.example', false],
])('that a key stored with %s may go to %s is %s', (stored, asked, may) => {
  expect(isSameService(stored, asked)).toBe(may)
})
