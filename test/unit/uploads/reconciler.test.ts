import { createHash } from 'node:crypto'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OpenItem } from '../../../src/store/upload-store.ts'
import { concluded, type InterruptedFile, identify } from '../../../src/uploads/reconciler.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const content = 'the same number of bytes'
const HOUR_MS = 3_600_000

/** The hash that an upload gets which began at this time, and whose run was killed before it had hashed the file. */
async function hashOf(path: string, at: number): Promise<string | undefined> {
  const item = { id: '', path, size: content.length, sha256: '', attempt: { startedAt: at } } as unknown as OpenItem
  const { sha256 } = await identify(item, { hashed: async () => {} }, new AbortController().signal)
  return sha256 || undefined
}

test('a file that has not changed since an upload of it began still has the content that was sent', async () => {
  const path = join(temporaryFolder(), 'photo.jpg')
  writeFileSync(path, content)
  expect(await hashOf(path, Date.now() + HOUR_MS)).toBe(createHash('sha256').update(content).digest('hex'))
})

test('a file copied over the one that was sent, with an older time, does not count as the content that was sent', async () => {
  const path = join(temporaryFolder(), 'photo.jpg')
  writeFileSync(path, content)
  utimesSync(path, new Date(0), new Date(0))
  expect(await hashOf(path, Date.now() - HOUR_MS)).toBeUndefined()
})

test('other bytes than those of a file that may have been changed conclude nothing', () => {
  const listed = { type: 'ambiguous', candidates: [] } as const
  const told = [true, false].map((isGuess) =>
    concluded({ isGuess, listed } as unknown as InterruptedFile, { type: 'not-stored' }),
  )
  expect(told).toEqual([listed, { type: 'not-stored' }])
})
