import { expect, test } from 'vitest'
import { alignColumns } from '../../../../../src/cli/output/tables/columns.ts'

test('columns are aligned, the last one not padded', () => {
  expect(
    alignColumns([
      ['a', 'long', 'x'],
      ['abc', 'b', 'yy'],
    ]),
  ).toEqual(['a    long  x', 'abc  b     yy'])
})

test('columns of numbers end in line, their titles too, the last one as well', () => {
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

test('a cell is as wide as the terminal draws it', () => {
  expect(
    alignColumns([
      ['🎉 休日.png', 'a'],
      ['photo.jpg', 'b'],
    ]),
  ).toEqual(['🎉 休日.png  a', 'photo.jpg    b'])
})
