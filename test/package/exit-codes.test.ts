import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { exitCodes } from '../../src/cli/failures/exit-codes.ts'
import { missingTests, namedTests } from '../helpers/named-tests.ts'

const document = await readFile('docs/exit-codes.md', 'utf8')
const rows = document
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [, code = '', when = '', heldBy = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    return { code, when, tests: namedTests(heldBy) }
  })

test('each exit code that is explained has a row, and each row a test', () => {
  const codes = new Set(rows.map(({ code }) => code))
  expect(exitCodes.map(({ code }) => String(code)).filter((code) => !codes.has(code))).toEqual([])
  expect(rows.filter(({ when, tests }) => when === '' || tests.length === 0)).toEqual([])
})

test('each test that a row names is where it is said to be', async () => {
  expect(await missingTests(rows.flatMap(({ tests }) => tests))).toEqual([])
})

test('each cause that is provoked for its exit code has a place in a row of that code', async () => {
  const text = await readFile('test/cli/exit-codes.test.ts', 'utf8')
  const provoked = [...text.matchAll(/^ {2}(\d): \[([\s\S]*?)\],$/gm)].flatMap(([, code = '', causes = '']) =>
    [...causes.matchAll(/name: '([^']+)'/g)].map(([, title = '']) => ({ code, title })),
  )
  expect(new Set(provoked.map(({ code }) => code)).size).toBe(10)
  const missing = provoked.filter(
    ({ code, title }) => !rows.some((row) => row.code === code && row.tests.some((named) => named.title === title)),
  )
  expect(missing).toEqual([])
})
