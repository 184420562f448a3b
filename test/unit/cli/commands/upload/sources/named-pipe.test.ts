import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openPipe, pipeName } from '../../../../../../src/cli/commands/upload/sources/named-pipe.ts'
import { hashFile } from '../../../../../../src/uploads/hash-file.ts'
import { temporaryFolder } from '../../../../../helpers/temporary-folder.ts'

test.each([
  ['in/photo.jpg', 'photo.jpg'],
  ['/dev/fd/63', ''],
  ['/proc/self/fd/12', ''],
])('the content of the pipe %s is named %j', (path, name) => {
  expect(pipeName(path)).toBe(name)
})

function pipePaths(count: number): readonly string[] {
  const folder = temporaryFolder()
  const paths = Array.from({ length: count }, (_, index) => join(folder, `pipe-${index}`))
  execFileSync('mkfifo', paths)
  return paths
}

async function lengthOf(chunks: AsyncIterable<Buffer>): Promise<number> {
  let length = 0
  for await (const chunk of chunks) length += chunk.length
  return length
}

const still = new AbortController().signal

test('A named pipe is not opened once its run has been stopped', async () => {
  await expect(openPipe('missing', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})

describe.skipIf(process.platform === 'win32')('named pipes', () => {
  test.each([
    [300_000, 'linux'],
    [0, 'linux'],
    [5, 'darwin'],
  ] as const)('A named pipe is read until its writer ends: %d B on %s', async (bytes, system) => {
    const [path = ''] = pipePaths(1)
    const reading = openPipe(path, still, system).then(lengthOf)
    await writeFile(path, Buffer.alloc(bytes))
    expect(await reading).toBe(bytes)
  })

  test('A named pipe without a writer holds no thread, where pipes can be waited for', async () => {
    const pipes = await Promise.all(pipePaths(8).map((path) => openPipe(path, still, 'linux')))
    // Reading a file takes one of four threads.
    expect((await readFile(import.meta.filename)).length).toBeGreaterThan(0)
    for (const pipe of pipes) pipe.destroy()
  })

  test('An abort ends the wait for the writers of named pipes on other systems', async () => {
    const stop = new AbortController()
    // More than there are threads: some openings have not begun.
    const waiting = pipePaths(8).map((path) => openPipe(path, stop.signal, 'darwin'))
    stop.abort()
    for (const pipe of waiting) expect(await lengthOf(await pipe)).toBe(0)
  })
})

test.skipIf(process.platform === 'win32')('hashing a pipe without a writer fails at once', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  await expect(hashFile(pipe, new AbortController().signal)).rejects.toThrow('is not a regular file')
})

test('an abort ends the reading', async () => {
  const path = join(temporaryFolder(), 'a.jpg')
  await writeFile(path, 'x')
  await expect(hashFile(path, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})
