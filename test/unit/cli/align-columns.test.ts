import { expect, test } from 'vitest'
import { alignColumns } from '../../../src/cli/terminal/align-columns.ts'

test('columns are aligned, the last one not padded', () => {
  expect(
    alignColumns([
      ['a', 'long', 'x'],
      ['abc', 'b', 'yy'],
    ]),
  ).toEqual(['a    long  x', 'abc  b     yy'])
})

test('a cell is as wide as the terminal draws it', () => {
  expect(
    alignColumns([
      ['🎉 休日.png', 'a'],
      ['photo.jpg', 'b'],
    ]),
  ).toEqual(['🎉 休日.png  a', 'photo.jpg    b'])
})
