import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Upload } from '../../src/protocol/resources.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'

test('fh emulate breaks the connection of a file that is too short, and --export names it, keeps the rest and ends with 1', {
  timeout: 30_000,
}, async () => {
  const rig = await createRig()
  const running = rig.start(['emulate', '--json', '--port', '0', '--data', 'data', '--export', 'state.json'])
  const ready = JSON.parse(await running.printed('stdout', /\n/))
  const upload = async (size: number) => {
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(jpegBytes(size))]), 'a.jpg')
    const init = { method: 'POST', headers: { 'X-Api-Key': ready.api_key }, body: form }
    const { upload: stored } = (await (await fetch(`${ready.base_url}/api/upload`, init)).json()) as {
      readonly upload: Upload
    }
    return stored
  }
  const damaged = await upload(5_000)
  const [path = ''] = readdirSync(join(rig.folder, 'data', 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const whole = await upload(6_000)
  truncateSync(path, 1_000)
  const read = async () => (await fetch(damaged.direct_url)).arrayBuffer()
  await expect(read()).rejects.toThrow()
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  expect(code).toBe(1)
  expect(stderr).toContain(`The file of the upload ${damaged.slug} cannot be read: 4000 bytes of it are missing. Put`)
  expect(stderr).not.toMatch(/\(node:|trace-warnings/)
  expect(stderr).toContain(`The state in state.json is incomplete: The file of upload ${damaged.slug} cannot be read`)
  const { records, missing } = JSON.parse(readFileSync(join(rig.folder, 'state.json'), 'utf8'))
  expect(records.uploads.map(({ slug }: { slug: string }) => slug)).toEqual([whole.slug])
  expect(missing.map((gap: { upload: { slug: string } }) => gap.upload.slug)).toEqual([damaged.slug])
})

test('fh emulate says in one line of its own which file of a deleted upload it cannot remove', async () => {
  const rig = await createRig()
  const running = rig.start(['emulate', '--json', '--port', '0', '--data', 'data'])
  const ready = JSON.parse(await running.printed('stdout', /\n/))
  const headers = { 'X-Api-Key': ready.api_key }
  const body = new FormData()
  body.append('file', new Blob([Uint8Array.from(jpegBytes(5_000))]), 'a.jpg')
  const sent = await fetch(`${ready.base_url}/api/upload`, { method: 'POST', headers, body })
  const { upload } = (await sent.json()) as { readonly upload: Upload }
  const blobs = join(rig.folder, 'data', 'blobs')
  const [blob] = readdirSync(blobs, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const path = join(blob?.parentPath ?? '', blob?.name ?? '')
  rmSync(path)
  mkdirSync(path)
  await fetch(`${ready.base_url}/api/uploads/${upload.slug}`, { method: 'DELETE', headers })
  const told = await running.printed('stderr', /cannot be removed.*\n/)
  running.child.kill('SIGTERM')
  await running.ended
  expect(told).toMatch(/^fh: \/.*, the file of a deleted upload, cannot be removed: .*The next start removes it/m)
  expect(told).not.toMatch(/\(node:|trace-warnings/)
})
