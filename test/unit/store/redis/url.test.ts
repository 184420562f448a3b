import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { parseRedisUrl, redactRedisUrl, shownRedisUrl } from '../../../../src/store/redis/url.ts'

const plain = { isTls: false, host: 'h', port: 6379, database: 0 }

test.each([
  ['redis://h', {}],
  [' redis://h:7000/ ', { port: 7_000 }],
  ['redis://[::1]:7000/3', { host: '::1', port: 7_000, database: 3 }],
  ['rediss://runner:p%23%2F%40%3A@h', { isTls: true, username: 'runner', password: 'p#/@:' }],
  ['redis://:secret@h', { password: 'secret' }],
])('the URL of a Redis server is read: %s', (url, found) => {
  expect(parseRedisUrl(url)).toEqual({ ...plain, ...found })
})

test.each([
  ['redis://alice:hunter2#x@h', 'percent-encode a password, # as %23'],
  ['redis://alice:hunter2/x@h', 'percent-encode a password, # as %23'],
  ['redis://alice:hunter2%zz@h', 'write it as %25'],
  ['redis://h#hunter2', 'percent-encode a password'],
  ['redis:alice:hunter2@h', 'percent-encode a password'],
  ['redis://', 'names no Redis server'],
  ['', 'write redis://host:6379'],
  ['h:6379', 'begins with redis:// or rediss://'],
  ['http://alice:hunter2@h', 'begins with redis:// or rediss://'],
  ['redis://h/hunter2', 'the number of a database'],
  ['redis://h/999999', 'the number of a database'],
  ['redis://h?password=hunter2', 'has no part after ?'],
  ['redis://h?runners=20', 'has no part after ?'],
  ['redis://h:hunter2', 'write redis://host:6379'],
])('a text that is not the URL of a Redis server is refused without repeating it: %s', (text, words) => {
  let error: unknown
  try {
    parseRedisUrl(text)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain(words)
  expect(inspect(error, { depth: 9 })).not.toMatch(/hunter2|alice/)
})

test('messages show a Redis server without user and password', () => {
  expect(shownRedisUrl('rediss://runner:hunter2@redis.example/2')).toBe('rediss://redis.example:6379/2')
  expect(shownRedisUrl('redis://[::1]:7000')).toBe('redis://[::1]:7000')
})

test.each([
  ['rediss://runner:hunter2@redis.example/2', 'rediss://[redacted]@redis.example:6379/2'],
  ['redis://:hunter2@h', 'redis://[redacted]@h:6379'],
  ['redis://h:7000', 'redis://h:7000'],
  ['redis://alice:hunter2#@h', '[redacted]'],
])('a stored URL is shown without its user and password: %s', (url, shown) => {
  expect(redactRedisUrl(url)).toBe(shown)
})
