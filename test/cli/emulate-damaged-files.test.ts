import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jpegBytes } from '../helpers/media.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'

/** The path of the one file of an upload. */
function blobPath(folder: string): string {
  const entries = readdirSync(join(folder, 'data', 'blobs'), { recursive: true, withFileTypes: true })
  const [path = ''] = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return path
}

test('fh emulate breaks the connection of a file that is too short, and --export names it, keeps the rest and ends with 1', {
  timeout: 30_000,
}, async () => {
  const { rig, upload, stop } = await runningEmulator('--data', 'data', '--export', 'state.json')
  const damaged = (await upload(jpegBytes(5_000))).upload
  const path = blobPath(rig.folder)
  const { slug } = (await upload(jpegBytes(6_000))).upload
  truncateSync(path, 1_000)
  await expect(fetch(damaged.direct_url).then((answer) => answer.arrayBuffer())).rejects.toThrow()
  const { code, stderr } = await stop()
  expect(code).toBe(1)
  expect(stderr).toContain(`The file of the upload ${damaged.slug} cannot be read: 4000 bytes of it are missing. Put`)
  expect(stderr).not.toMatch(/\(node:|trace-warnings/)
  expect(stderr).toContain(`The state in state.json is incomplete: The file of upload ${damaged.slug} cannot be read`)
  const { records, missing } = JSON.parse(readFileSync(join(rig.folder, 'state.json'), 'utf8'))
  expect([records.uploads, missing]).toMatchObject([[{ slug }], [{ upload: { slug: damaged.slug } }]])
})

test('fh emulate says in one line of its own which file of a deleted upload it cannot remove', async () => {
  const { rig, upload, call, running } = await runningEmulator('--data', 'data')
  const { slug } = (await upload(jpegBytes(5_000))).upload
  const path = blobPath(rig.folder)
  rmSync(path)
  mkdirSync(path)
  await call(`/api/uploads/${slug}`, { method: 'DELETE' })
  const told = await running.printed('stderr', /cannot be removed.*\n/)
  expect(told).toMatch(/^fh: \/.*, the file of a deleted upload, cannot be removed: .*The next start removes it/m)
  expect(told).not.toMatch(/\(node:|trace-warnings/)
})
