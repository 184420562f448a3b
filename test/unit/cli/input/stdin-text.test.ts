import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readListedUploads } from '../../../../src/cli/choice/choose.ts'
import { readPathList } from '../../../../src/cli/commands/upload/upload-items.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

const still = new AbortController().signal
const tooLarge = { code: 'usage', message: 'The list is larger than 64 MB' }

/** As `yes`. @returns how much was taken, in MB */
function endless() {
  let taken = 0
  const line = Buffer.alloc(1_048_576, 'abcdefg\n')
  function* lines() {
    for (;;) {
      taken += 1
      yield line
    }
  }
  return { stdin: Readable.from(lines(), { highWaterMark: 1 }), taken: () => taken }
}

const runOf = (stdin: Readable) => ({ io: { stdin }, interruption: { stopping: still } }) as never

test('an endless list of uploads or of paths on standard input, and a larger file of paths, is refused at 64 MB', async () => {
  const uploads = endless()
  await expect(readListedUploads(uploads.stdin, still)).rejects.toMatchObject(tooLarge)
  const paths = endless()
  const reading = readPathList('-', false, runOf(paths.stdin))
  await expect(reading).rejects.toMatchObject(tooLarge)
  const path = join(temporaryFolder(), 'list')
  await writeFile(path, 'a.jpg\n')
  await truncate(path, 64 * 1_048_576 + 1)
  const file = readPathList(path, false, runOf(Readable.from([])))
  await expect(file).rejects.toMatchObject(tooLarge)
  for (const { taken, stdin } of [uploads, paths]) {
    expect(taken()).toBeLessThan(70)
    expect(stdin.destroyed).toBe(true)
  }
})
