import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { describe, expect, test } from 'vitest'
import { mostAllowlistEntries } from '../../emulator/service/allowlist-review.ts'
import { maxTitle } from '../../emulator/service/uploads.ts'
import { definitions } from '../../emulator/settings/definitions.ts'
import { mostFiles } from '../../emulator/site/forms/file-form.ts'
import { longestPassword } from '../../emulator/values/value-type.ts'

/** What the titles of all tests name after this word: “spec 8.3, silence 82: a window …”. */
function numbersInTitles(word: string): ReadonlySet<string> {
  const titles = new RegExp(`['"\`][\\w., ]*?\\b${word} (\\d[\\d., ]*?)(?:, silence [\\d, ]+)?: `, 'g')
  const found = globSync('test/**/*.ts').flatMap((file) => [...readFileSync(file, 'utf8').matchAll(titles)])
  return new Set(found.flatMap(([, numbers = '']) => numbers.split(', ')))
}

/** The lines of docs/silences.md: number, what is left open, and the default or the settings that decide. */
const silences = readFileSync('docs/silences.md', 'utf8')
  .split('\n')
  .filter((line) => /^\d/.test(line))
  .map((line) => /^(\d+)\. \*\*(.+)\*\*: (.+)$/.exec(line)?.slice(1) ?? [])

test.each([
  ['docs/exactly-once.md', 7],
  ['docs/pacing.md', 8],
])('each promise of %s is the title of a test in the file that is named with it', (document, count) => {
  const text = readFileSync(document, 'utf8').split('\n## What is promised\n')[1]?.split('\n## ')[0] ?? ''
  const promises = text.split('\n- ').slice(1)
  expect(promises).toHaveLength(count)
  const missing = promises.filter((promise) => {
    const [, title = '', file = ''] = /“([^”]+)”\s+\(`([^`]+)`\)/.exec(promise.replace(/\s+/g, ' ')) ?? []
    const tests = file === '' ? '' : readFileSync(`test/${file}`, 'utf8')
    return title === '' || !["'", '"', '`'].some((quote) => tests.includes(quote + title + quote))
  })
  expect(missing).toEqual([])
})

test('each clause of the specification that the service can show is named by the title of a test', () => {
  const named = numbersInTitles('spec')
  const clauses = ['1', '2.1', '2.2', '2.3', '2.4', '3', '4.1', '4.2', '4.3', '4.4', '4.5', '5.1', '5.2', '5.3', '5.4']
  const others = ['5.5', '5.6', '5.7', '5.9', '7.2', '8.1', '8.3', '8.5', '8.6', '8.7']
  expect([...clauses, ...others].filter((clause) => !named.has(clause))).toEqual([])
})

describe('docs/silences.md', () => {
  test('the silences are in order, each with words and a default', () => {
    expect(silences).toHaveLength(103)
    expect(silences.map(([number]) => Number(number))).toEqual(silences.map((_, index) => index + 1))
  })

  test('each but the one that no test can wait for is named by the title of a test, and no other', () => {
    const named = numbersInTitles('silence')
    expect(silences.flatMap(([number = '']) => (named.has(number) ? [] : [number]))).toEqual(['36'])
    expect([...named].filter((number) => Number(number) > silences.length)).toEqual([])
  })

  test('each setting that is named exists, and every setting but the one the spec itself has is named', () => {
    const changing = silences.map(([, , usual = '']) => /(?:\(|see )(`.*)/.exec(usual)?.[1] ?? '')
    const named: readonly string[] = changing.join().match(/(?<=`)\w+(?=`)/g) ?? []
    expect(named.filter((name) => !Object.hasOwn(definitions, name))).toEqual([])
    expect(Object.keys(definitions).filter((name) => !named.includes(name))).toEqual(['api_enabled'])
  })
})

test('the limits that docs/website.md names are those of the code', () => {
  const page = readFileSync('docs/website.md', 'utf8').split('\n')
  const numbers = (start: string) => {
    const line = page.find((each) => each.startsWith(start)) ?? ''
    return [...line.matchAll(/\d[\d,]*/g)].map(([text]) => Number(text.replaceAll(',', '')))
  }
  expect(numbers('| a password, a title')).toEqual([longestPassword, maxTitle])
  expect(numbers('| allowed addresses')).toEqual([mostAllowlistEntries])
  expect(numbers('| files of one form')).toEqual([mostFiles])
})
