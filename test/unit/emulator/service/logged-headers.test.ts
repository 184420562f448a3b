import { expect, test } from 'vitest'
import { loggedHeaders } from '../../../../emulator/service/exchanges.ts'

test('equal headers are logged alike, but a value that repeats the key of this request is hidden', () => {
  const headers = { host: 'h', referer: 'http://h/?k=second-key' }
  expect(loggedHeaders(headers, 'first-key')).toBe('host: h\nreferer: http://h/?k=second-key\n')
  expect(loggedHeaders(headers, 'second-key')).toBe('host: h\nreferer: (hidden)\n')
  expect(loggedHeaders({ ...headers, accept: '*/*' }, 'second-key')).toBe('host: h\nreferer: (hidden)\naccept: */*\n')
  expect(loggedHeaders({ host: 'h' }, 'second-key')).toBe('host: h\n')
})
