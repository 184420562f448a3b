import { expect, test } from 'vitest'
import { alignColumns } from '../../../../../src/cli/output/tables/columns.ts'

test('columns are aligned by width, numbers and their titles to the right, and the last column is not padded', () => {
  const rows = [
    ['NAME', 'USED', 'LEFT'],
    ['🎉 休日.png', '5', '1,000'],
    ['abcde', '1,234', '-'],
  ]
  expect(alignColumns(rows)).toEqual(['NAME         USED   LEFT', '🎉 休日.png  5      1,000', 'abcde        1,234  -'])
  expect(alignColumns(rows, { right: [1, 2] })).toEqual([
    'NAME          USED   LEFT',
    '🎉 休日.png      5  1,000',
    'abcde        1,234      -',
  ])
})
