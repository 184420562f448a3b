import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openMemory } from '../../../../../src/cli/commands/logout/forget-account.ts'
import { SqliteUploads } from '../../../../../src/store/sqlite-uploads.ts'
import { instantClock } from '../../../../helpers/instant-clock.ts'
import { uploadObject } from '../../../../helpers/media.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'

const account = (keyHash: string) => ({ address: 'https://h', keyHash })

/** A state folder where two accounts of an address have an upload. */
async function state() {
  const folder = temporaryFolder()
  const path = join(folder, 'uploads.db')
  const clock = instantClock()
  for (const key of ['mine', 'other']) {
    const store = new SqliteUploads({ path, account: account(key), clock, onProblem() {} })
    const upload = { ...uploadObject, slug: `slug-${key}` }
    await store.seen({ content: { size: 5, sha256: 'aa' }, path: `/${key}.png`, upload })
    await store.close()
  }
  const memory = openMemory({ io: { env: { FH_STATE_DIR: folder } }, clock } as never)
  return { path, memory, all: () => readFile(path, 'latin1') }
}

test('an account is forgotten on the disk too, and the other account of the address is not', async () => {
  const { memory, all } = await state()
  const has = () => Promise.all([account('mine'), account('third'), undefined].map(memory.has))
  expect(await has()).toEqual([true, false, true])
  expect(await memory.forget(account('mine'))).toEqual([])
  expect(await all()).not.toMatch(/mine/)
  for (const text of ['slug-other', 'other.png']) expect(await all()).toContain(text)
  expect([await has(), await memory.has(account('other'))]).toEqual([[false, false, true], true])
})

test('nothing is recorded where there is no store', async () => {
  const { memory, path } = await state()
  rmSync(path)
  expect([await memory.has(account('mine')), await memory.has(undefined)]).toEqual([false, false])
})

test('an account is not forgotten where a newer version wrote the store, or it cannot be opened', async () => {
  const { memory, path, all } = await state()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA user_version = 99')
  database.close()
  await expect(memory.forget(account('mine'))).rejects.toMatchObject({
    code: 'state-unwritable',
    message: expect.stringContaining('a newer version of fh has written it'),
  })
  expect(await all()).toContain('slug-mine')
  rmSync(path)
  mkdirSync(path)
  writeFileSync(join(path, 'file'), '')
  await expect(memory.forget(account('mine'))).rejects.toMatchObject({ code: 'state-unwritable' })
})
