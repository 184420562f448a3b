import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRecordFile } from '../../../../src/cli/journal/record-file.ts'
import { entryLine, type RecordEntry, recordHeader } from '../../../../src/cli/journal/record-lines.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

const [ours, theirs] = ['0123456789abcdef', 'fedcba9876543210']

const entry = (slug: string, size: number, account = ours): RecordEntry => ({
  account,
  size,
  sha256: slug.charCodeAt(0).toString(16).padStart(64, '0'),
  slug,
  name: `${ours} 20 .jpg`,
  at: 1_795_000_000_000,
})

const entries = [entry('a', 20), entry('b', 200), entry('c', 20, theirs), entry('d', 20), entry('e', 2), entry('f', 20)]

test.each([
  ['one size', [20]],
  ['a few sizes', [20, 200, 7]],
  ['many sizes', [20, 200, 7, 8, 9, 10, 11]],
])('the entries of an account are found by %s', (_, sizes) => {
  const path = join(temporaryFolder(), 'uploads.record')
  writeFileSync(path, `${recordHeader}\n${entries.map(entryLine).join('\n')}`)

  const found = openRecordFile(path).bySize(ours, new Set(sizes))

  const wanted = entries.filter(({ account, size }) => account === ours && sizes.includes(size))
  expect(found.toSorted((one, other) => one.slug.localeCompare(other.slug))).toEqual(wanted)
})
