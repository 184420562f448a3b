import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { namesShown } from '../../../src/cli/choice/names-shown.ts'
import { addressLine, entryLine, recordHeader } from '../../../src/contents/record/record-lines.ts'
import { createNameOf } from '../../../src/contents/recorded-names.ts'
import { uploadObject } from '../../helpers/media.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const baseUrl = 'https://h'
const account = 'a'.repeat(16)
const oldKey = 'b'.repeat(16)
const elsewhere = 'c'.repeat(16)

/** A state folder whose journal has `recent`, and whose record has `cat.png`. */
async function state() {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const entry = { size: 5, sha256: '0'.repeat(64), at: 1 }
  const record = [
    recordHeader,
    addressLine({ account, baseUrl }),
    addressLine({ account: oldKey, baseUrl }),
    addressLine({ account: elsewhere, baseUrl: 'https://other' }),
    entryLine({ ...entry, account, slug: 'inRecord', name: 'cät\u001b.png' }),
    entryLine({ ...entry, account: oldKey, slug: 'ofOldKey', name: 'old.png' }),
    entryLine({ ...entry, account: elsewhere, slug: 'elsewhere', name: 'foreign.png' }),
    entryLine({ ...entry, account, slug: 'unnamed', name: '' }),
    'torn',
  ]
  const item = { run: 'r', base_url: baseUrl, key_hash: account, size: 5, sha256: '1'.repeat(64), at: 1 }
  const found = (id: string, slug: string, path: string) => ({
    ...{ type: 'found', id, ...item, path },
    upload: { ...uploadObject, slug },
  })
  const journal = [
    found('1', 'recent', '/pictures/first.jpg'),
    found('2', 'recent', '/pictures/copy.jpg'),
    found('3', 'inRecord', '/pictures/copy.png'),
  ]
  await writeFile(path('uploads.record'), record.join('\n'))
  await writeFile(path('uploads.journal'), journal.map((fact) => `${JSON.stringify(fact)}\n`).join(''))
  const nameOf = createNameOf(baseUrl, { FH_STATE_DIR: folder })
  return {
    folder,
    path,
    name: (slug: string, title: string | null = null) => nameOf({ slug, title }),
  }
}

test('an upload is called by its title, else by the file that was uploaded first under any key of the address', async () => {
  const { name } = await state()
  expect(name('inRecord', 'A title')).toBe('A title')
  expect(name('inRecord')).toBe('cät\u001b.png')
  expect(name('inRecord', '')).toBe('cät\u001b.png')
  expect(name('ofOldKey')).toBe('old.png')
  expect(name('recent')).toBe('first.jpg')
  expect(['elsewhere', 'unnamed', 'never seen'].map((slug) => name(slug))).toEqual([null, null, null])
})

test('a record that cannot be read costs only its own names', async () => {
  const { path, name } = await state()
  await rm(path('uploads.record'))
  await mkdir(path('uploads.record'))
  expect([name('inRecord'), name('recent')]).toEqual(['copy.png', 'first.jpg'])
  const { path: other, name: nameOther } = await state()
  await writeFile(other('uploads.record'), 'fh-record 99\n')
  await rm(other('uploads.journal'))
  expect(nameOther('inRecord')).toBeNull()
})

test('titles are shown without a look at the record, which is read once', async () => {
  const { folder, name } = await state()
  expect(name('inRecord', 'A title')).toBe('A title')
  expect(name('recent')).toBe('first.jpg')
  await rm(folder, { recursive: true })
  expect(name('inRecord')).toBe('cät\u001b.png')
})

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ json: true }, true, false],
  [{ jsonl: true }, true, false],
  [{ fields: 'slug, name' }, false, true],
  [{ json: true, fields: 'name' }, false, true],
  [{ fields: 'slug' }, true, false],
])('with the flags %j and a terminal: %s, names are shown: %s', async (flags, isTTY, isShown) => {
  const io = { env: {}, stdout: { isTTY } } as unknown as Parameters<typeof namesShown>[1]['io']
  expect((await namesShown(baseUrl, { flags, io })) !== undefined).toBe(isShown)
})
