import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mediaPath } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { until } from '../helpers/until.ts'

/** fh of a project that has installed the package and nothing else. */
async function installedAlone() {
  const folder = temporaryFolder()
  const place = join(folder, 'node_modules/filehost')
  await mkdir(place, { recursive: true })
  for (const part of ['bin', 'dist', 'package.json']) await cp(part, join(place, part), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{}')
  return createRig({ program: join(place, 'bin/fh.js'), env: { PATH: '/nowhere' } })
}

test('fh emulate without sharp says nothing of an experimental SQLite, and an image is its own thumbnail', async () => {
  const rig = await installedAlone()
  const flags = ['--port', '0', '--data', 'data', '--api-key', 'k', '--set', 'thumbnail_delay_ms=0']
  const running = rig.start(['emulate', ...flags])
  const [baseUrl = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await running.printed('stdout', /FH_BASE_URL/)) ?? []
  const env = { FH_BASE_URL: baseUrl, FH_API_KEY: 'k' }
  const slug = (await rig.fh(['upload', mediaPath('photo.jpg'), '--format', 'slug'], { env })).stdout.trim()
  const thumbnailUrl = async () => JSON.parse((await rig.fh(['show', slug, '--json'], { env })).stdout).thumb_url
  await until(async () => (await thumbnailUrl()) !== null)
  const thumbnail = await fetch(await thumbnailUrl())
  expect(Buffer.from(await thumbnail.arrayBuffer()).equals(await readFile(mediaPath('photo.jpg')))).toBe(true)
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
})
