import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createJournal } from '../../../src/contents/journal.ts'
import { openJournalFile } from '../../../src/contents/journal-file.ts'
import { openRecordFile } from '../../../src/contents/record/record-file.ts'
import { addressLine, entryLine, recordHeader } from '../../../src/contents/record/record-lines.ts'
import { createNameOf } from '../../../src/contents/recorded-names.ts'
import { createSharedLedger, sharedLedgerFolder } from '../../../src/pacing/quota-log/shared-ledger.ts'
import { accountHash, exactHash } from '../../../src/system/account-hash.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { uploadObject } from '../../helpers/media.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const clock = instantClock()
const spellings = ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000']
const content = (digit: string) => ({ size: 5, sha256: digit.repeat(64) })

/** A state folder as an earlier version left it, with an upload in the record and one in the journal. */
function left(baseUrl: string) {
  const folder = temporaryFolder()
  const hash = exactHash(baseUrl, 'secret')
  mkdirSync(join(folder, 'rate', hash), { recursive: true })
  writeFileSync(join(folder, 'rate', hash, 'ledger-1.log'), '', { mode: 0o600 })
  const [journal, record] = [join(folder, 'uploads.journal'), join(folder, 'uploads.record')]
  const entry = entryLine({ account: hash, ...content('0'), slug: 'old', name: 'old.png', at: 1 })
  writeFileSync(record, [recordHeader, addressLine({ account: hash, baseUrl }), entry, ''].join('\n'), { mode: 0o600 })
  const item = { id: '1', run: 'r', path: '/new.png', base_url: baseUrl, key_hash: hash, ...content('1'), at: 1 }
  const upload = { ...uploadObject, slug: 'new', title: null }
  writeFileSync(journal, `${JSON.stringify({ type: 'found', ...item, upload })}\n`, { mode: 0o600 })
  const open = (at: string, readOnly = false) =>
    createJournal({
      credentials: { baseUrl: at, apiKey: 'secret' },
      clock,
      file: openJournalFile(journal, { makeFolder: true }),
      record: openRecordFile(record),
      readOnly,
      onProblem: () => {},
    })
  return { folder, hash, open, all: () => readFileSync(journal, 'utf8') + readFileSync(record, 'utf8') }
}

const known = (journal: ReturnType<ReturnType<typeof left>['open']>) =>
  ['0', '1'].map((digit) => journal.known(content(digit)).map(({ slug }) => slug))

test.each(spellings)(
  'what was recorded for %s is known under every name of this machine, and taken over',
  (baseUrl) => {
    const { folder, hash, open, all } = left(baseUrl)
    for (const at of spellings) {
      const journal = open(at, true)
      expect([known(journal), journal.otherKeys()], at).toEqual([[['old'], ['new']], []])
      journal.close()
      const nameOf = createNameOf(at, { FH_STATE_DIR: folder })
      expect(['old', 'new'].map((slug) => nameOf({ slug, title: null }))).toEqual(['old.png', 'new.png'])
    }
    expect(all()).toContain(hash)
    open('http://127.0.0.1:3000').close()
    expect(all().match(/[0-9a-f]{16}(?= 5 )|(?<="key_hash":")[0-9a-f]+/g)).toEqual(
      Array(2).fill(accountHash('http://localhost:3000', 'secret')),
    )
    expect(known(open('http://[::1]:3000'))).toEqual([['old'], ['new']])
  },
)

test('an upload that stood under another name stays forgotten', () => {
  const { open, all } = left('http://127.0.0.1:3000')
  const journal = open('http://localhost:3000')
  journal.forget(['old', 'new'])
  expect(known(journal)).toEqual([[], []])
  journal.close()
  expect(known(open('http://127.0.0.1:3000'))).toEqual([[], []])
  expect(all()).not.toContain(exactHash('http://127.0.0.1:3000', 'secret'))
})

test('another address, port or key is another account', () => {
  const accounts = [...spellings, 'http://localhost:3001', 'https://localhost:3000', 'http://127.0.0.1.example:3000']
  const hashes = accounts.map((baseUrl) => accountHash(baseUrl, 'secret'))
  expect(new Set(hashes).size).toBe(4)
  expect(hashes[0]).not.toBe(accountHash('http://localhost:3000', 'other'))
  expect(accountHash('http://localhost:3000', 'secret')).toBe(exactHash('http://localhost:3000', 'secret'))
})

test('the ledger of the quota goes on with what was counted under another name', () => {
  const { folder } = left('http://127.0.0.1:3000')
  const options = { folder, baseUrl: 'http://[::1]:3000', apiKey: 'secret' }
  createSharedLedger({ ...options, limits: { minute: 1, hour: 1, day: 1 } })
  expect(readFileSync(join(sharedLedgerFolder(options), 'ledger-1.log'), 'utf8')).toBe('')
})
