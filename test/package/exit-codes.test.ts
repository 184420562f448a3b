import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { exitCodes } from '../../src/cli/failures/exit-codes.ts'

const document = await readFile('docs/exit-codes.md', 'utf8')
const rows = document
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [, code = '', when = '', testedIn = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    return { code, when, files: [...testedIn.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file) }
  })

test('each exit code that fh help explains has a row in docs/exit-codes.md, and each row a cause and a test file', () => {
  const codes = new Set(rows.map(({ code }) => code))
  expect(exitCodes.map(({ code }) => String(code)).filter((code) => !codes.has(code))).toEqual([])
  expect(rows.filter(({ when, files }) => when === '' || files.length === 0)).toEqual([])
})

test('each test file that docs/exit-codes.md names exists', () => {
  const missing = rows.flatMap(({ files }) => files).filter((file) => !existsSync(`test/${file}`))
  expect(missing).toEqual([])
})
