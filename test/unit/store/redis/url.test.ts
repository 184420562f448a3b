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

test.each(
  'redis://alice:hunter2#x@h redis://alice:hunter2/x@h redis://alice:hunter2%zz@h redis:alice:hunter2@h redis:// h:6379 http://h redis://h/999999 redis://h?password=hunter2'.split(
    ' ',
  ),
)('a text that is not the URL of a Redis server is refused without repeating it: %s', (text) => {
  expect(() => parseRedisUrl(text)).toThrow(
    /^not the URL of a Redis server: write redis:\/\/host:6379, .*; percent-encode a password(?!.*(hunter2|alice))/,
  )
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
