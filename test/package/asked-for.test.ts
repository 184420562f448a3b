import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { missingTests, namedTests } from '../helpers/named-tests.ts'

test('docs/asked-for.md answers ten wishes, each with a test that is where it is said to be', async () => {
  const document = await readFile('docs/asked-for.md', 'utf8')
  const rows = document.split('\n').filter((line) => /^\| \d+ \|/.test(line))
  expect(rows).toHaveLength(10)
  expect(rows.filter((row) => namedTests(row).length === 0)).toEqual([])
  expect(await missingTests(namedTests(document))).toEqual([])
})
