import { expect, test } from 'vitest'
import { readServiceAddress } from '../../../../src/cli/config/settings.ts'

test.each([
  ['localhost:4884', 'http://localhost:4884'],
  ['LOCALHOST:4884/', 'http://localhost:4884'],
  ['127.0.0.1:4884/api', 'http://127.0.0.1:4884'],
  ['[::1]:4884', 'http://[::1]:4884'],
  ['files.example', 'https://files.example'],
  ['files.example:8443/site/', 'https://files.example:8443/site'],
  ['192.168.1.5:4884', 'https://192.168.1.5:4884'],
  ['http://files.example', 'http://files.example'],
  ['https://files.example/site/api//', 'https://files.example/site'],
  [' "https://Files.example:443/" \n', 'https://files.example'],
  ["'files.example'", 'https://files.example'],
])('the address %j means %s', (typed, meant) => {
  expect(readServiceAddress(typed)).toBe(meant)
})

test.each([
  ['https://files.example/api/stats?api_key=secret', 'https://files.example/api/stats'],
  ['https://files.example/site/?lang=en#top', 'https://files.example/site'],
])('the address %s is refused, with what was meant, and its query is not shown', (typed, meant) => {
  const message = expect.stringMatching(new RegExp(`^(?!.*secret).*: write ${meant}$`))
  expect(() => readServiceAddress(typed)).toThrow(expect.objectContaining({ message }))
})

test.each([
  ['', /^Not a URL; give it as/],
  ['abc123secret', /^Not a URL; give it as/],
  ['C:\\photos', /must begin with https/],
  ['files example', /^Not a URL/],
  ['ftp://files.example', /must begin with https/],
  ['me:secret@files.example', /must not contain a user name/],
])('the address %j is refused', (typed, message) => {
  expect(() => readServiceAddress(typed)).toThrow(TypeError)
  expect(() => readServiceAddress(typed)).toThrow(message)
})
