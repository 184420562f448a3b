import { expect, test } from 'vitest'
import { parseBandwidth } from '../../../../src/cli/input/flag-values.ts'

test.each([
  ['500k', 512_000],
  ['2MB', 2_097_152],
  ['1.5MiB', 1_572_864],
  ['1.5 MB/s', 1_572_864],
  ['1000', 1_000],
])('the rate %j is %i bytes per second', (text, bytes) => {
  expect(parseBandwidth(text)).toBe(bytes)
})

test.each(['', '0', '-1', '0.001k', '99', 'fast', '2Mbit', '1e9', '2MB/min', `${'9'.repeat(400)}`])(
  'the rate %.20j is refused with examples',
  (text) => {
    expect(() => parseBandwidth(text)).toThrow('such as 500KB or 1.5MB')
  },
)
