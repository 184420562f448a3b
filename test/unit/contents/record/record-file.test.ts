import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openRecordFile, type RecordContent } from '../../../../src/contents/record/record-file.ts'
import {
  addressLine,
  entryLine,
  type RecordEntry,
  unsortedHeader,
} from '../../../../src/contents/record/record-lines.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

const [ours, theirs] = ['8123456789abcdef', 'fedcba9876543210']
const addresses = [
  { account: ours, baseUrl: 'http://h' },
  { account: theirs, baseUrl: 'http://other' },
]

const entry = (slug: string, size: number, account = ours): RecordEntry => ({
  account,
  size,
  sha256: slug.charCodeAt(0).toString(16).padStart(64, '0'),
  slug,
  name: `${ours} 20 .jpg`,
  at: 1_795_000_000_000,
})

const numbered = (slug: string, length: number) => Array.from({ length }, (_, index) => entry(`${slug}${index}`, index))
const slugsOf = (entries: readonly RecordEntry[]) => entries.map(({ slug }) => slug).toSorted()
const contentOf = (entries: readonly RecordEntry[]): RecordContent => ({ addresses, entries })
const recordPath = () => join(temporaryFolder(), 'uploads.record')
/** The files of a record, the oldest first. */
const files = (path: string) =>
  [path, ...Array.from({ length: 20 }, (_, index) => `${path}-${index + 1}`)].filter((name) => existsSync(name))

const entries = [entry('a', 20), entry('b', 200), entry('c', 20, theirs), entry('d', 20), entry('e', 2), entry('f', 20)]

test.each([
  ['one size', [20]],
  ['many sizes', [20, 200, 7, 8, 9, 10, 11]],
])('the entries of an account are found by %s, in a record of the first version too', (_, sizes) => {
  const path = recordPath()
  writeFileSync(path, [unsortedHeader, ...addresses.map(addressLine), ...entries.map(entryLine)].join('\n'))
  const wanted = slugsOf(entries.filter(({ account, size }) => account === ours && sizes.includes(size)))
  const record = openRecordFile(path)
  expect(slugsOf(record.bySize(ours, new Set(sizes)))).toEqual(wanted)
  record.add(contentOf([entry('g', 20)]))
  expect(readFileSync(path, 'latin1')).toMatch(/^fh-record 2\n/)
  expect(slugsOf(record.bySize(ours, new Set(sizes)))).toEqual([...wanted, 'g'])
})

test('an upload whose time has a fraction is found, and so is one that was written with it', () => {
  const path = recordPath()
  const [before = '', after = ''] = entryLine(entry('a', 20)).slice(0, -' 01234567'.length).split('1795000000000')
  writeFileSync(path, [unsortedHeader, `${before}1795000000000.25${after}`].join('\n'))
  const record = openRecordFile(path)
  record.add(contentOf([{ ...entry('b', 20), at: 1_795_000_000_000.25 }]))
  const found = record.bySize(ours, new Set([20]))
  expect(found.map(({ slug, at }) => [slug, at])).toEqual(['a', 'b'].map((slug) => [slug, 1_795_000_000_000]))
})

test('in a long record a size is looked up, whatever was damaged', () => {
  const sizes = fc.record({ size: fc.nat(4_000), account: fc.constantFrom(ours, theirs) })
  fc.assert(
    fc.property(fc.array(sizes, { minLength: 3_000, maxLength: 3_100 }), fc.nat(4_000), (all, size) => {
      const path = recordPath()
      const record = openRecordFile(path)
      const long = all.map((one, index) => entry(`s${index}`, one.size, one.account))
      record.add(contentOf(long))
      const lines = readFileSync(path, 'latin1').split('\n')
      const damaged = lines.map((line, index) => {
        if (index < 4 || index % 7 > 1) return line
        return index % 7 === 0 ? line.slice(0, index % 50) : line.replace(/ \d+ /, ' 2000 ')
      })
      const torn = new Set(lines.filter((line, index) => line !== damaged[index]))
      writeFileSync(path, damaged.join('\n'))
      const wanted = long.filter((one) => one.account === ours && one.size === size && !torn.has(entryLine(one)))
      expect(slugsOf(record.bySize(ours, new Set([size])))).toEqual(slugsOf(wanted))
    }),
    { numRuns: 20 },
  )
})

test('a record that is read in parts has every entry, also at the end of a part', () => {
  const record = openRecordFile(recordPath())
  record.add(contentOf(numbered('s', 20_000)))
  expect(record.all(ours)).toHaveLength(20_000)
  expect(record.bySize(ours, new Set(Array.from({ length: 10_000 }, (_, index) => 2 * index)))).toHaveLength(10_000)
})

test('what is added goes to few short files, and each entry stands once, as it was added first', () => {
  const path = recordPath()
  const grown = openRecordFile(path)
  for (let round = 0; round < 60; round += 1) {
    const added = numbered(`s${round}-`, 30)
    grown.add(contentOf([...added, { ...entry('first', 7), name: `${round}.jpg` }]))
    expect(files(path).length).toBeLessThan(6)
  }
  expect(grown.all(ours)).toHaveLength(60 * 30 + files(path).length)
  expect([grown.names('http://h').get('first'), grown.names('http://other').size]).toEqual(['0.jpg', 0])
  grown.rewrite((content) => content)
  expect([files(path).length, grown.all(ours).length]).toEqual([1, 60 * 30 + 1])
  expect(grown.addresses()).toEqual(addresses.slice(0, 1))
})

test('a kill between joining files and removing them loses nothing, and the next change removes them', () => {
  const path = recordPath()
  const record = openRecordFile(path)
  record.add(contentOf(numbered('a', 40)))
  record.add(contentOf([entry('b', 5)]))
  const later = readFileSync(`${path}-1`)
  record.rewrite((content) => content)
  writeFileSync(`${path}-1`, later)
  expect(slugsOf(record.bySize(ours, new Set([5])))).toEqual(['a5', 'b', 'b'])
  record.rewrite(({ entries: all }) => contentOf(all.filter(({ slug }) => slug !== 'b')))
  expect([files(path).length, slugsOf(record.bySize(ours, new Set([5])))]).toEqual([1, ['a5']])
})

test('without its first file a record is empty, and what stands beside it does not come back', () => {
  const path = recordPath()
  const record = openRecordFile(path)
  record.add(contentOf(numbered('a', 40)))
  record.add(contentOf([entry('b', 5)]))
  rmSync(path)
  expect(record.all(ours)).toEqual([])
  record.add(contentOf([entry('c', 6)]))
  expect([slugsOf(record.all(ours)), files(path)]).toEqual([['c'], [path]])
})

test('a record of which all but one line is damaged, or has an endless slug, has that one', () => {
  const path = recordPath()
  const record = openRecordFile(path)
  record.add(contentOf([entry('a', 5), { ...entry('b', 7), slug: 's'.repeat(2 ** 23) }]))
  appendFileSync(path, 'torn\n'.repeat(100_000))
  expect(slugsOf(record.bySize(ours, new Set([5])))).toEqual(['a'])
  expect([record.bySize(ours, new Set([7])), slugsOf(record.all(ours))]).toEqual([[], ['a']])
})

test('a later file of a newer version is neither read nor written', () => {
  const path = recordPath()
  const record = openRecordFile(path)
  record.add(contentOf(entries))
  appendFileSync(`${path}-1`, 'fh-record 99\n')
  expect(() => record.all(ours)).toThrow('a newer version of fh wrote it')
  expect(() => record.add(contentOf(entries))).toThrow('a newer version of fh wrote it')
  expect(readFileSync(`${path}-1`, 'utf8')).toBe('fh-record 99\n')
})
