import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, json, send } from '../emulated.ts'

const damages: readonly (readonly [string, (path: string) => void, string])[] = [
  ['is shorter than its record says', (path) => truncateSync(path, 100), '400 bytes of it are missing'],
  ['is empty', (path) => truncateSync(path, 0), '500 bytes of it are missing'],
  ['is gone', (path) => rmSync(path), 'There is no blob'],
]

/** An emulator with one upload of 500 bytes in a data folder, and the path of its file. */
async function kept() {
  const data = temporaryFolder()
  const emulator = await emulated({ data })
  const { upload } = await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(500))))
  const names = () =>
    readdirSync(join(data, 'blobs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  const [path = ''] = names()
  return { emulator, slug: upload.slug, path, names }
}

function warnings() {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  return () => written.mock.calls.map(([text]) => String(text))
}

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => get(url, resolve).on('error', reject))
}

test.each(damages)(
  'if the file of an upload %s, the connection breaks and a warning names the upload',
  { timeout: 10_000 },
  async (_, damage, reason) => {
    const { emulator, slug, path } = await kept()
    const { baseUrl } = await emulator.listen()
    damage(path)
    const told = warnings()
    const read = async () => buffer(await open(`${baseUrl}/i/${slug}.jpg`))
    await expect(read()).rejects.toThrow(/aborted|socket hang up|ECONNRESET/)
    expect(told()).toEqual([expect.stringContaining(`The file of the upload ${slug} cannot be read: ${reason}`)])
  },
)

test.each(damages)(
  'if a thumbnail %s, the connection breaks and a warning names the upload',
  {
    timeout: 10_000,
  },
  async (_, damage) => {
    const { emulator, slug, path, names } = await kept()
    const { baseUrl } = await emulator.listen()
    await emulator.control.uploads.update(slug, { thumbnail: 'ready' })
    damage(names().find((name) => name !== path) ?? '')
    const told = warnings()
    const read = async () => buffer(await open(`${baseUrl}/t/${slug}`))
    await expect(read()).rejects.toThrow(/aborted|socket hang up|ECONNRESET/)
    expect(told()).toEqual([expect.stringContaining(`The thumbnail of the upload ${slug} cannot be read: `)])
  },
)

test('the existing part of a truncated file can be read', async () => {
  const { emulator, slug, path } = await kept()
  truncateSync(path, 300)
  const headers = { Range: 'bytes=100-299' }
  const part = await emulator.fetch(new Request(`http://h/i/${slug}.jpg`, { headers }))
  expect(Buffer.from(await part.arrayBuffer()).equals(jpegBytes(500).subarray(100, 300))).toBe(true)
})

const second = async (emulator: Emulator) =>
  (await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(600))))).upload.slug

test.each(damages)(
  'a snapshot with a file that %s reports it, has everything else and can be restored',
  async (_, damage) => {
    const { emulator, slug, path } = await kept()
    const other = await second(emulator)
    damage(path)
    const snapshot = await emulator.control.state.get()
    expect(snapshot.missing).toEqual([
      {
        upload: expect.objectContaining({ slug, size_bytes: 500 }),
        reason: expect.stringContaining(`The file of upload ${slug} cannot be read: `),
      },
    ])
    const copy = await emulated()
    await copy.control.state.restore(snapshot)
    expect((await json(send(copy, 'GET', '/api/uploads', { headers: { 'X-Api-Key': emulator.apiKey } }))).data).toEqual(
      [expect.objectContaining({ slug: other })],
    )
  },
)

test('a snapshot with a missing thumbnail reports it and has the upload without it', async () => {
  const { emulator, slug, path, names } = await kept()
  await emulator.control.uploads.update(slug, { thumbnail: 'ready' })
  rmSync(names().find((name) => name !== path) ?? '')
  const { missing, records } = await emulator.control.state.get()
  expect(missing).toEqual([
    expect.objectContaining({ reason: expect.stringContaining(`The thumbnail of upload ${slug} cannot be read: `) }),
  ])
  expect(records['uploads']).toEqual([expect.objectContaining({ slug, thumbnail: { state: 'none' } })])
})
