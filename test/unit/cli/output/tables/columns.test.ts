import { expect, test } from 'vitest'
import { alignColumns } from '../../../../../src/cli/output/tables/columns.ts'

test('columns are aligned, and the last one is not padded', () => {
  expect(
    alignColumns([
      ['a', 'long', 'x'],
      ['abc', 'b', 'yy'],
    ]),
  ).toEqual(['a    long  x', 'abc  b     yy'])
})

test('columns of numbers and their titles are right-aligned, the last column too', () => {
  const rows = [
    ['NAME', 'USED', 'LEFT'],
    ['a', '5', '1,000'],
    ['abcde', '1,234', '-'],
  ]
  expect(alignColumns(rows, { right: [1, 2] })).toEqual([
    'NAME    USED   LEFT',
    'a          5  1,000',
    'abcde  1,234      -',
  ])
})

test('wide characters count twice when columns are aligned', () => {
  expect(
    alignColumns([
      ['🎉 休日.png', 'a'],
      ['photo.jpg', 'b'],
    ]),
  ).toEqual(['🎉 休日.png  a', 'photo.jpg    b'])
})
