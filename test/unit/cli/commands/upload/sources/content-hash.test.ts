import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashFile } from '../../../../../../src/cli/commands/upload/sources/content-hash.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-hash-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const never = new AbortController().signal

test('the content of a file is hashed', async () => {
  const bytes = Buffer.alloc(3_000_000, 7)
  await writeFile(join(folder, 'a.jpg'), bytes)
  expect(await hashFile(join(folder, 'a.jpg'), never)).toBe(createHash('sha256').update(bytes).digest('hex'))
})

test.skipIf(process.platform === 'win32')('hashing a pipe without a writer fails at once', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await expect(hashFile(pipe, never)).rejects.toThrow('is not a regular file')
})

test('an abort ends the reading', async () => {
  await writeFile(join(folder, 'b.jpg'), 'x')
  await expect(hashFile(join(folder, 'b.jpg'), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})
