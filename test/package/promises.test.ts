import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { missingTests, namedTests } from '../helpers/named-tests.ts'

test.each([
  ['docs/exactly-once.md', 12],
  ['docs/pacing.md', 9],
])('each promise of %s is held by tests, and each of them is in the file that is named with it', (page, promises) => {
  const [, section = ''] = readFileSync(page, 'utf8').split('## What is promised\n')
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| [A-Z]/.test(line))
  const held = rows.map((row) => namedTests(row))
  expect([held.length, held.filter((tests) => tests.length === 0)]).toEqual([promises, []])
  expect(missingTests(held.flat())).toEqual([])
})
