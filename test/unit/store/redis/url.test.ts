import { expect, test } from 'vitest'
import { parseRedisUrl, redactRedisUrl, shownRedisUrl } from '../../../../src/store/redis/url.ts'

test.each([
  ['redis://h', 'redis://h:6379'],
  [' redis://h:7000/ ', 'redis://h:7000'],
  ['redis://[::1]:7000/3', 'redis://[::1]:7000/3'],
  ['rediss://runner:p%23%2F%40%3A@h', 'rediss://h:6379'],
  ['redis://:secret@h/0', 'redis://h:6379'],
])('the URL of a Redis server is read, and shown without user and password: %s', (url, shown) => {
  expect(shownRedisUrl(url)).toBe(shown)
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

test.each([
  ['rediss://runner:hunter2@redis.example/2', 'rediss://[redacted]@redis.example:6379/2'],
  ['redis://:hunter2@h', 'redis://[redacted]@h:6379'],
  ['redis://h:7000', 'redis://h:7000'],
  ['redis://alice:hunter2#@h', '[redacted]'],
])('a stored URL is shown without its user and password: %s', (url, shown) => {
  expect(redactRedisUrl(url)).toBe(shown)
})
