import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createImageProcess } from '../../../../emulator/thumbnails/image-process.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

/** An image library whose every picture is the id of its process. */
const libraryOfIds = () => libraryWith('async () => Buffer.from(String(process.pid))')

/** An image library that encodes each picture by this function. */
async function libraryWith(encode: string): Promise<string> {
  const folder = temporaryFolder()
  const path = join(folder, 'library.cjs')
  await writeFile(
    path,
    `const picture = { metadata: async () => ({}), toBuffer: ${encode} }
    for (const step of ['autoOrient', 'resize', 'flatten', 'jpeg']) picture[step] = () => picture
    module.exports = Object.assign(() => picture, { cache() {}, concurrency() {} })`,
  )
  return path
}

/** Timeouts of this length that the test ends. */
function heldTimeouts(ms: number): AbortController[] {
  const held: AbortController[] = []
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((asked) => {
    if (asked !== ms) return timeout(asked)
    const controller = new AbortController()
    held.push(controller)
    return controller.signal
  })
  onTestFinished(() => spy.mockRestore())
  return held
}

test('a picture that arrives while the idle process is being ended is decoded by a new one', async () => {
  const waits = heldTimeouts(2_000)
  const images = createImageProcess(await libraryOfIds())
  const decode = async () => String(await images.thumbnail(Buffer.from('picture'), new AbortController().signal))
  const first = await decode()
  const second = decode()
  // The idle time after the first picture ends while the second is decoded.
  waits[0]?.abort()
  expect(await second).toBe(first)
  waits[1]?.abort()
  const third = await decode()
  expect(third).not.toBe(first)
  waits[2]?.abort()
})

test('a picture that takes too long ends its process, also after a garbage collection', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const images = createImageProcess(await libraryWith('() => { for (;;); }'), 200)
  const decoded = images.thumbnail(Buffer.from('picture'), new AbortController().signal)
  setImmediate(collectGarbage)
  await expect(decoded).rejects.toThrow('The picture takes longer than 0.2 s')
})
