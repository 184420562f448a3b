import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SqliteUploads } from '../../../src/store/sqlite-uploads.ts'
import { createNameOf } from '../../../src/uploads/names.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { uploadObject } from '../../helpers/media.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const baseUrl = 'https://h'

/** A state folder with uploads of several keys of two addresses. */
async function state() {
  const folder = temporaryFolder()
  const path = join(folder, 'uploads.db')
  async function record(address: string, keyHash: string, named: Readonly<Record<string, readonly string[]>>) {
    const store = new SqliteUploads({ path, account: { address, keyHash }, clock: instantClock(), onProblem() {} })
    for (const [slug, paths] of Object.entries(named))
      for (const file of paths)
        await store.seen({ content: { size: 5, sha256: 'aa' }, path: file, upload: { ...uploadObject, slug } })
    await store.close()
  }
  await record(baseUrl, 'key', {
    accented: ['/pictures/cät\u001b.png', '/pictures/copy.png'],
    recent: ['/pictures/first.jpg', '/pictures/copy.jpg'],
    unnamed: ['-'],
  })
  await record(baseUrl, 'old', { ofOldKey: ['/old.png'] })
  await record('https://other', 'of another address', { elsewhere: ['/foreign.png'] })
  const nameOf = createNameOf(baseUrl, { FH_STATE_DIR: folder })
  return { folder, path, name: (slug: string, title: string | null = null) => nameOf({ slug, title }) }
}

test('an upload is called by its title, else by the file that was uploaded first under any key of the address', async () => {
  const { name } = await state()
  expect(name('accented', 'A title')).toBe('A title')
  expect([name('accented'), name('accented', '')]).toEqual(['cät\u001b.png', 'cät\u001b.png'])
  expect([name('ofOldKey'), name('recent')]).toEqual(['old.png', 'first.jpg'])
  expect(['elsewhere', 'unnamed', 'never seen'].map((slug) => name(slug))).toEqual([null, null, null])
})

test('a record that is missing or cannot be read has no names', async () => {
  const { path, name } = await state()
  rmSync(path)
  expect(name('recent')).toBeNull()
  writeFileSync(path, 'garbage')
  expect(name('recent')).toBeNull()
})
