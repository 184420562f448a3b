import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { filesIn, temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, send, uploaded } from '../emulated.ts'
import { visit } from './own-account.ts'

const damages: readonly (readonly [string, (path: string) => void, string])[] = [
  ['is shorter than its record says', (path) => truncateSync(path, 100), '400 bytes of it are missing'],
  ['is gone', (path) => rmSync(path), 'There is no blob'],
]

/** An emulator with one upload of 500 bytes in a data folder, and the path of its file. */
async function kept() {
  const data = temporaryFolder()
  const emulator = await emulated({ data })
  const { slug } = await uploaded(emulator, 500)
  const paths = () => filesIn(join(data, 'blobs'))
  const [path = ''] = paths()
  /** Makes the thumbnail. @returns its path */
  const thumbnail = async () => {
    await emulator.control.uploads.update(slug, { thumbnail: 'ready' })
    return paths().find((other) => other !== path) ?? ''
  }
  return { emulator, slug, path, thumbnail }
}

test.each(damages)(
  'if the file or the thumbnail of an upload %s, the connection breaks and a warning names the upload',
  async (_, damage, reason) => {
    const { emulator, slug, path, thumbnail } = await kept()
    const { baseUrl } = await emulator.listen()
    damage(await thumbnail())
    damage(path)
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => written.mockRestore())
    const read = (address: string) => fetch(`${baseUrl}${address}`).then((answer) => answer.arrayBuffer())
    for (const address of [`/i/${slug}.jpg`, `/t/${slug}`]) {
      await expect(read(address)).rejects.toThrow(/terminated|fetch failed/)
    }
    expect(written.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining(`The file of the upload ${slug} cannot be read: ${reason}`),
      expect.stringContaining(`The thumbnail of the upload ${slug} cannot be read: `),
    ])
  },
)

test('the existing part of a truncated file can be read', async () => {
  const { emulator, slug, path } = await kept()
  truncateSync(path, 300)
  const part = await visit(emulator, `/i/${slug}.jpg`, { headers: { Range: 'bytes=100-299' } })
  expect(Buffer.from(await part.arrayBuffer()).equals(jpegBytes(500).subarray(100, 300))).toBe(true)
})

test('a snapshot with a damaged file or thumbnail is refused with the upload and what to do, and made once it is deleted', async () => {
  const { emulator, slug, path, thumbnail } = await kept()
  const refused = (reason: string) =>
    expect(emulator.control.state.get()).rejects.toThrow(`The files of upload ${slug} cannot be read: ${reason}`)
  truncateSync(await thumbnail(), 1)
  await refused('it has 1 bytes instead of')
  rmSync(path)
  await refused('There is no blob')
  await expect(emulator.control.state.get()).rejects.toThrow('; put the file back, or delete this upload')
  await send(emulator, 'DELETE', `/api/uploads/${slug}`)
  expect((await emulator.control.state.get()).records).toMatchObject({ uploads: [] })
})
