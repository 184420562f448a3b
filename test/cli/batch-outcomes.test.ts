import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { jsonLines } from '../helpers/rig.ts'

type Action = Parameters<Awaited<ReturnType<typeof emulatedRig>>['emulator']['control']['faults']['add']>[0]['action']

const refused = (status: number, error: string): Action => {
  return { type: 'status', status, body: { error }, headers: { 'Retry-After': '600' } }
}

/** What becomes of an item that is neither done nor `kept`, which it is already. */
const failures: Readonly<Record<string, Action>> = {
  quota: refused(429, 'Rate limit exceeded (per hour).'),
  off: refused(503, 'API temporarily disabled.'),
  cut: { type: 'reset_before' },
  gone: { type: 'status', status: 422, body: { message: 'Refused.', errors: {} } },
  denied: refused(403, 'Access suspended by administrator.'),
}
const isTemporary = (word: string) => ['quota', 'off', 'cut'].includes(word)
/** The same would become of all others. */
const endsBatch = (word: string) => ['quota', 'off', 'denied'].includes(word)

const mixtures: readonly (readonly [words: string, code: number])[] = [
  ['done done', 0],
  ['done quota', 5],
  ['done done quota done done', 5],
  ['kept kept quota', 5],
  ['quota done', 5],
  ['done off done', 5],
  ['done cut done', 5],
  ['cut kept cut', 5],
  ['cut quota', 5],
  ['done gone', 3],
  ['kept gone', 3],
  ['done gone quota done', 3],
  ['done cut gone', 3],
  ['done denied done', 3],
  ['denied done', 7],
  ['gone quota', 1],
]

const rows = ['upload', 'download', 'delete'].flatMap((command) => {
  const own = command === 'delete' ? mixtures.filter(([words]) => !words.includes('kept')) : mixtures
  return own.map(([words, code]) => [command, words, code] as const)
})

test.each(rows)('fh %s of items that are %s ends with %i, and says of each whether time mends it', async (...row) => {
  const [command, text, code] = row
  const words = text.split(' ')
  const { fh, emulator, write } = await emulatedRig()
  const { accounts, faults } = emulator.control
  const isUpload = command === 'upload'
  const slugs = isUpload ? [] : accounts.addUploads(1, { count: words.length }).slugs
  const items = words.map((_, at) => slugs[at] ?? `${at}.jpg`)
  for (const [at, file] of items.entries()) await write(file, jpegBytes(500 + at))
  const kept = items.filter((_, at) => words[at] === 'kept')
  if (kept.length > 0) expect((await fh([command, ...kept])).code).toBe(0)
  // What breaks on arrival is not counted by the faults that answer.
  const counted = (word: string | undefined) => word !== 'kept' && word !== 'cut'
  for (const [at, item] of items.entries()) {
    const action = failures[words[at] ?? '']
    const match = isUpload
      ? { method: 'POST', nth: words.slice(0, at).filter(counted).length + 1 }
      : { method: command === 'delete' ? 'DELETE' : 'GET', path: `/api/uploads/${item}` }
    if (action) faults.add({ match, times: 1, action })
  }
  const flags = ['--json', '--retries', '0', '--max-wait', '1s', ...(command === 'delete' ? ['--yes'] : ['-j', '1'])]
  const ended = await fh([command, ...flags, ...items])
  const last = words.findIndex(endsBatch)
  const reasons = words.map((word, at) => (last !== -1 && at > last ? words[last] : word) ?? '')
  const expected = reasons.map((word) => (word in failures ? isTemporary(word) : undefined))
  const records: readonly { error: { retryable: boolean } | null }[] = JSON.parse(ended.stdout)
  expect([ended.code, records.map(({ error }) => error?.retryable)]).toEqual([code, expected])
  const failed = expected.filter((retryable, at) => retryable !== undefined && (last === -1 || at <= last))
  expect(jsonLines(ended.stderr).flatMap(({ type, retryable }) => (type === 'error' ? [retryable] : []))).toEqual(
    failed,
  )
})
