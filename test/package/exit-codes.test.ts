import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes } from '../../src/cli/failures/exit-codes.ts'

/** The cells of each row: the code, the cause and the test files. */
const rows = readFileSync('docs/exit-codes.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split(/ ?(?<!\\)\| ?/).slice(1, -1))

test('each exit code that fh help explains has a row in docs/exit-codes.md, and each row a cause and a test file', () => {
  const codes = new Set(rows.map(([code]) => code))
  expect(exitCodes.map(({ code }) => String(code)).filter((code) => !codes.has(code))).toEqual([])
  expect(rows.filter(([, when = '', files = '']) => when === '' || !/`test\/.+`/.test(files))).toEqual([])
})
