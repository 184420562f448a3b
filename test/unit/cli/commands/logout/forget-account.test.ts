import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMemory } from '../../../../../src/cli/commands/logout/forget-account.ts'
import { addressLine, entryLine, recordHeader } from '../../../../../src/contents/record/record-lines.ts'
import { instantClock } from '../../../../helpers/instant-clock.ts'
import { uploadObject } from '../../../../helpers/media.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'

const [mine, other] = ['a'.repeat(16), 'b'.repeat(16)]
const baseUrl = 'https://h'

/** A state folder where two accounts of an address have an upload in the record, and one in the journal. */
async function state() {
  const folder = temporaryFolder()
  const [journal, record] = [join(folder, 'uploads.journal'), join(folder, 'uploads.record')]
  const entry = { size: 5, sha256: '0'.repeat(64), at: 1 }
  const lines = [mine, other].map((account) =>
    entryLine({ ...entry, account, slug: `old-${account[0]}`, name: `old-${account[0]}.png` }),
  )
  const addresses = [mine, other].map((account) => addressLine({ account, baseUrl }))
  await writeFile(record, [recordHeader, ...addresses, ...lines, ''].join('\n'))
  const facts = [mine, other].flatMap((key_hash) => [
    { type: 'claim', id: key_hash, run: 'r', path: `/${key_hash[0]}.png`, base_url: baseUrl, key_hash, ...entry },
    { type: 'done', id: key_hash, upload: { ...uploadObject, slug: `new-${key_hash[0]}` }, at: 1 },
  ])
  await writeFile(journal, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''))
  const stopping = new AbortController().signal
  const memory = openMemory({
    io: { env: { FH_STATE_DIR: folder } },
    clock: instantClock(),
    interruption: { stopping },
  } as unknown as Parameters<typeof openMemory>[0])
  const all = async () => `${await readFile(journal, 'utf8')}${await readFile(record, 'utf8')}`
  return { journal, record, memory, all }
}

test('an account of several names is forgotten under all of them', async () => {
  const { memory, all } = await state()
  await memory.forget([mine, other])
  expect(await all()).not.toMatch(/old-|new-|aaaa|bbbb/)
})

test('an account is forgotten in journal and record, and the other account of the address is not', async () => {
  const { memory, all } = await state()
  expect([await memory.has([mine]), await memory.has(['c'.repeat(16)]), await memory.has([])]).toEqual([
    true,
    false,
    true,
  ])
  await memory.forget([mine])
  expect(await all()).not.toMatch(/old-a|new-a|a\.png|aaaa/)
  for (const text of ['old-b', 'new-b', 'b.png']) expect(await all()).toContain(text)
  expect([await memory.has([mine]), await memory.has([other])]).toEqual([false, true])
})

test('an account is forgotten in the record where the journal is missing', async () => {
  const { journal, memory, all } = await state()
  await rm(journal)
  await memory.forget([mine])
  expect(await all()).not.toMatch(/old-a|aaaa/)
  expect(await all()).toContain('old-b')
})

test('an account is not forgotten while another process rewrites the journal, and where the record is foreign', async () => {
  const { journal, record, memory, all } = await state()
  await mkdir(`${journal}.lock`)
  await expect(memory.forget([mine])).rejects.toMatchObject({ code: 'state-unwritable' })
  await rm(`${journal}.lock`, { recursive: true })
  await writeFile(record, 'fh-record 99\n')
  await expect(memory.forget([mine])).rejects.toMatchObject({
    code: 'state-unwritable',
    message: expect.stringContaining('a newer version of fh wrote it'),
  })
  expect(await all()).toContain('new-a')
})
