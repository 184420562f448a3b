import { expect, test } from 'vitest'
import { DEEPEST_JSON, isTooDeep, isUnfinished } from '../../../src/checks/json.ts'

const nested = (depth: number, [open = '', close = ''] = ['[', ']']) => open.repeat(depth) + close.repeat(depth)

test('JSON is too deep from one level beyond the deepest', () => {
  expect([isTooDeep(nested(DEEPEST_JSON)), isTooDeep(nested(DEEPEST_JSON + 1))]).toEqual([false, true])
  expect(isTooDeep(`${'{"a":'.repeat(DEEPEST_JSON + 1)}1${'}'.repeat(DEEPEST_JSON + 1)}`)).toBe(true)
})

test('brackets side by side, and in strings with quotes, do not add depth', () => {
  expect(isTooDeep(`[${'[],'.repeat(DEEPEST_JSON * 3)}[]]`)).toBe(false)
  expect(isTooDeep(JSON.stringify(`"\\${'['.repeat(DEEPEST_JSON * 3)}\\"`))).toBe(false)
})

test('only JSON that ends within a string, a list or an object is unfinished', () => {
  expect(['{"a":"', '{"a":"b\\"', '["a"', '{', '"\\'].map(isUnfinished)).toEqual([true, true, true, true, true])
  expect(['{"a":"b"}', '["]"]', '"["', '1', ''].map(isUnfinished)).toEqual([false, false, false, false, false])
})
