import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { definitions } from '../../emulator/settings/definitions.ts'
import { missingTests, type NamedTest, namedTests } from '../helpers/named-tests.ts'

interface Silence {
  readonly number: number
  /** What is left open, and what the default is. */
  readonly words: readonly [string, string]
  /** Settings, and options of the command line that begin with two hyphens. */
  readonly changedBy: readonly string[]
  readonly tests: readonly NamedTest[]
  /** The last cell, unparsed. */
  readonly heldBy: string
}

const silences = readFileSync('docs/silences.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map(readRow)

function readRow(line: string): Silence {
  const [, number, subject = '', byDefault = '', changedBy = '', heldBy = ''] = line
    .split('|')
    .map((cell) => cell.trim())
  return {
    number: Number(number),
    words: [subject, byDefault],
    changedBy: [...changedBy.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    tests: namedTests(heldBy),
    heldBy,
  }
}

test('all 102 silences are in the table, in order, each with words and a default', () => {
  expect(silences.map(({ number }) => number)).toEqual(Array.from({ length: 102 }, (_, index) => index + 1))
  expect(silences.filter(({ words }) => words.includes(''))).toEqual([])
})

test('each setting that is named exists, and every setting but the one the spec itself has is named', () => {
  const named = silences.flatMap(({ changedBy }) => changedBy).filter((name) => !name.startsWith('--'))
  expect(named.filter((name) => !Object.hasOwn(definitions, name))).toEqual([])
  expect(Object.keys(definitions).filter((name) => !named.includes(name))).toEqual(['api_enabled'])
})

test('each silence is held by tests, but for those that say why none can', () => {
  const without = silences.filter(({ tests }) => tests.length === 0)
  expect(without.filter(({ heldBy }) => !/^none: \w/.test(heldBy))).toEqual([])
  expect(without.map(({ number }) => number)).toEqual([36])
})

test('each test that is named is in the file that is named with it', () => {
  expect(missingTests(silences.flatMap(({ tests }) => tests))).toEqual([])
})

test('a test whose title has the number of a silence is named in that row', async () => {
  const contract = silences.flatMap(({ tests }) => tests).filter(({ title }) => title.startsWith('silence '))
  const wrong = contract.filter(({ title }) => {
    const numbers = (/^silence ([\d, ]+):/.exec(title)?.[1] ?? '').split(', ').map(Number)
    return numbers.some((number) => silences[number - 1]?.tests.every((named) => named.title !== title))
  })
  expect(wrong).toEqual([])
})
