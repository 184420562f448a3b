import { expect, test } from 'vitest'
import { parseUploadName } from '../../../../src/cli/choice/names.ts'

test.each([
  ['7f3b2a10-5b3c-4d2e-9f00-aabbccddeeff', '7f3b2a10-5b3c-4d2e-9f00-aabbccddeeff'],
  [' aB3dE6gH9j\n', 'aB3dE6gH9j'],
  ['https://files.example/i/aB3dE6gH9j.jpg?x=1#y', 'aB3dE6gH9j'],
  ['http://127.0.0.1:4884/e/aB3dE6gH9j/', 'aB3dE6gH9j'],
  ['https://files.example/site/i/aB3dE6gH9j', 'aB3dE6gH9j'],
  ['https://files.example/i/na%C3%AFve.png', 'naïve'],
  ['https://files.example/t/two.dots', 'two.dots'],
  ['aB3dE6gH9j\thttps://files.example/i/aB3dE6gH9j', 'aB3dE6gH9j'],
])('%j names the slug %j', (value, slug) => {
  expect(parseUploadName(value).slug).toBe(slug)
})

test('what is neither a slug nor the address of an upload is refused', () => {
  const paths = ['', 'x/abc', 'i/%2e%2e', 'i/%E0%A4%A'].map((path) => `https://files.example/${path}`)
  for (const value of ['', '.', '..', 'a/b', 'a b', 'a\tb\nc\td', 'ftp://files.example/i/abc', ...paths]) {
    expect(() => parseUploadName(value), value).toThrow(/neither a slug nor the address/)
  }
})
