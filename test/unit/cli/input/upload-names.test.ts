import { expect, test } from 'vitest'
import { parseUploadName } from '../../../../src/cli/input/upload-names.ts'

test.each([
  ['aB3dE6gH9j', 'aB3dE6gH9j'],
  [' aB3dE6gH9j\n', 'aB3dE6gH9j'],
  ['https://files.example/i/aB3dE6gH9j', 'aB3dE6gH9j'],
  ['https://files.example/i/aB3dE6gH9j.jpg', 'aB3dE6gH9j'],
  ['https://files.example/i/aB3dE6gH9j.jpg?x=1#y', 'aB3dE6gH9j'],
  ['https://files.example/t/aB3dE6gH9j', 'aB3dE6gH9j'],
  ['http://127.0.0.1:4884/e/aB3dE6gH9j/', 'aB3dE6gH9j'],
  ['https://files.example/site/i/aB3dE6gH9j', 'aB3dE6gH9j'],
  ['https://files.example/i/na%C3%AFve.png', 'naïve'],
  ['https://files.example/t/two.dots', 'two.dots'],
  ['7f3b2a10-5b3c-4d2e-9f00-aabbccddeeff', '7f3b2a10-5b3c-4d2e-9f00-aabbccddeeff'],
])('%j names the slug %j', (value, slug) => {
  expect(parseUploadName(value).slug).toBe(slug)
})

test.each([
  '',
  '.',
  '..',
  'a/b',
  'a b',
  'https://files.example/',
  'https://files.example/x/abc',
  'https://files.example/i/%2e%2e',
  'https://files.example/i/%E0%A4%A',
  'ftp://files.example/i/abc',
])('%j is refused, since it is neither a slug nor an address', (value) => {
  expect(() => parseUploadName(value)).toThrow(/neither a slug nor the address/)
})
