import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mostAllowlistEntries } from '../../emulator/service/allowlist-review.ts'
import { maxTitle } from '../../emulator/service/uploads.ts'
import { definitions } from '../../emulator/settings/definitions.ts'
import { mostFiles } from '../../emulator/site/forms/file-form.ts'
import { longestPassword } from '../../emulator/values/value-type.ts'

/** The rows that begin so, of a document or of its table of promises: the cells, and the tests that the last one names. */
function rowsOf(document: string, beginning: RegExp) {
  const text = readFileSync(`docs/${document}`, 'utf8').split('\n## What is promised\n').at(-1) ?? ''
  const lines = text.split('\n').filter((line) => beginning.test(line))
  return lines.map((line) => {
    const [first = '', ...cells] = line.split('|').flatMap((cell, index) => (index === 0 ? [] : [cell.trim()]))
    return { first, cells, tests: namedTests(line) }
  })
}

/** Files below test/ in backquotes, each followed by titles of its tests in “quotes”. */
function namedTests(line: string) {
  return [...line.matchAll(/`([^`]+\.ts)`((?:,? “[^”]+”)+)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  )
}

const silences = rowsOf('silences.md', /^\| \d+ \|/)
const sentences = rowsOf('website.md', /^\| \d[\d., ]* \|/)

test.each([
  ['docs/exactly-once.md', 10, rowsOf('exactly-once.md', /^\| [A-Z]/)],
  ['docs/pacing.md', 11, rowsOf('pacing.md', /^\| [A-Z]/)],
  ['docs/silences.md', 103, silences],
  ['docs/website.md', 22, sentences],
])('each promise of %s is held by tests, and each of them is in the file that is named with it', (_, count, rows) => {
  expect(rows).toHaveLength(count)
  const without = rows.filter(({ tests }) => tests.length === 0)
  expect(without.filter(({ cells }) => !cells.some((cell) => /^none: \w/.test(cell)))).toEqual([])
  const missing = rows
    .flatMap(({ tests }) => tests)
    .filter(({ file, title }) => {
      const text = readFileSync(`test/${file}`, 'utf8')
      return !["'", '"', '`'].some((quote) => text.includes(quote + title + quote))
    })
  expect(missing).toEqual([])
})

describe('docs/silences.md', () => {
  test('the silences are in order, each with words and a default, and one alone is held by no test', () => {
    expect(silences.map(({ first }) => Number(first))).toEqual(silences.map((_, index) => index + 1))
    expect(silences.filter(({ cells }) => cells.slice(0, 2).includes(''))).toEqual([])
    expect(silences.filter(({ tests }) => tests.length === 0).map(({ first }) => first)).toEqual(['36'])
  })

  test('each setting that is named exists, and every setting but the one the spec itself has is named', () => {
    const words = silences.flatMap(({ cells }) => [...(cells[2] ?? '').matchAll(/`([^`]+)`/g)])
    const named = words.flatMap(([, name = '']) => (name.startsWith('--') ? [] : name))
    expect(named.filter((name) => !Object.hasOwn(definitions, name))).toEqual([])
    expect(Object.keys(definitions).filter((name) => !named.includes(name))).toEqual(['api_enabled'])
  })

  test('a test whose title has the number of a silence is named in that row', () => {
    const titles = silences.map(({ tests }) => tests.map(({ title }) => title))
    const wrong = titles.flat().filter((title) => {
      const numbers = (/^silence ([\d, ]+):/.exec(title)?.[1] ?? '').split(', ').map(Number)
      return numbers.some((number) => titles[number - 1]?.includes(title) === false)
    })
    expect(wrong).toEqual([])
  })
})

describe('docs/website.md', () => {
  test('the page has every sentence of the specification’s section 1, and every clause on the site', () => {
    const others = sentences.map(({ first }) => first).filter((clause) => clause !== '1')
    expect(others).toEqual(['2.1', '2.1', '2.3', '2.4', '5.5', '5.6, 5.7'])
    expect(sentences.filter(({ cells }) => cells[0] === '')).toEqual([])
  })

  test('the limits that the page names are those of the code', () => {
    const page = readFileSync('docs/website.md', 'utf8').split('\n')
    const numbers = (start: string) => {
      const line = page.find((each) => each.startsWith(start)) ?? ''
      return [...line.matchAll(/\d[\d,]*/g)].map(([text]) => Number(text.replaceAll(',', '')))
    }
    expect(numbers('| a password, a title')).toEqual([longestPassword, maxTitle])
    expect(numbers('| allowed addresses')).toEqual([mostAllowlistEntries])
    expect(numbers('| files of one form')).toEqual([mostFiles])
  })
})
