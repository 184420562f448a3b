import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { maxAlbumName, mostUploadsOfAlbum } from '../../emulator/service/albums.ts'
import { mostAllowlistEntries } from '../../emulator/service/allowlist-review.ts'
import { feedSize } from '../../emulator/service/feed.ts'
import { maxTitle } from '../../emulator/service/upload-edits.ts'
import { mostFiles } from '../../emulator/site/forms/file-form.ts'
import { mostAlbums } from '../../emulator/storage/records.ts'
import { longestPassword } from '../../emulator/values/value-type.ts'
import { missingTests, namedTests } from '../helpers/named-tests.ts'

const page = readFileSync('docs/website.md', 'utf8')

/** The rows of the table of sentences; each begins with a clause of the specification. */
const rows = page
  .split('\n')
  .filter((line) => /^\| \d[\d., ]* \|/.test(line))
  .map((line) => {
    const [, clause = '', sentence = '', heldBy = ''] = line.split('|').map((cell) => cell.trim())
    return { clause, sentence, tests: namedTests(heldBy) }
  })

test('every sentence of the specification’s section 1, and every clause on the site, is held by tests', () => {
  const clauses = rows.map(({ clause }) => clause)
  expect(clauses.filter((clause) => clause === '1')).toHaveLength(16)
  expect(clauses.filter((clause) => clause !== '1')).toEqual(['2.1', '2.1', '2.3', '2.4', '5.5', '5.6, 5.7'])
  expect(rows.filter(({ sentence, tests }) => sentence === '' || tests.length === 0)).toEqual([])
})

test('each test that the page names is in the file that is named with it', () => {
  expect(missingTests(rows.flatMap(({ tests }) => tests))).toEqual([])
})

test('the limits that the page names are those of the code', () => {
  const numbers = (start: string) => {
    const line = page.split('\n').find((each) => each.startsWith(start)) ?? ''
    return [...line.matchAll(/\d[\d,]*/g)].map(([text]) => Number(text.replaceAll(',', '')))
  }
  expect(numbers('| a password, a title')).toEqual([longestPassword, maxTitle, maxAlbumName])
  expect(numbers('| allowed addresses')).toEqual([mostAllowlistEntries])
  expect(numbers('| albums of an account')).toEqual([mostAlbums])
  expect(mostUploadsOfAlbum).toBe(mostAlbums)
  expect(numbers('| files of one form')).toEqual([mostFiles])
  expect(numbers('| `/feed`')).toEqual([feedSize])
})
