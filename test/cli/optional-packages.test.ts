import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mediaPath } from '../helpers/media.ts'
import { createRig, type Running } from '../helpers/rig.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { until } from '../helpers/until.ts'

/** fh of a project that has installed the package and nothing else. */
async function installedAlone(inProject = true) {
  const folder = temporaryFolder()
  const place = join(folder, 'node_modules/filehost')
  await mkdir(place, { recursive: true })
  for (const part of ['bin', 'dist', 'package.json']) await cp(part, join(place, part), { recursive: true })
  if (inProject) await writeFile(join(folder, 'package.json'), '{}')
  return createRig({ program: join(place, 'bin/fh.js'), env: { PATH: '/nowhere' } })
}

async function stop({ child, ended }: Running) {
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
}

test.each([
  ['in a project', true, 'npm i sharp'],
  ['for all users', false, 'npm i -g sharp'],
])(
  'fh emulate without sharp, installed %s, says how to install it, and an image is its own thumbnail',
  async (_, inProject, command) => {
    const rig = await installedAlone(inProject)
    const running = rig.start(['emulate', '--port', '0', '--api-key', 'k', '--set', 'thumbnail_delay_ms=0'])
    const said = await running.printed('stderr', /Thumbnails: .*\n/)
    expect(said).toContain(`images are not scaled down (${command})\n`)
    const [baseUrl = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await running.printed('stdout', /FH_BASE_URL/)) ?? []
    const env = { FH_BASE_URL: baseUrl, FH_API_KEY: 'k' }
    const slug = (await rig.fh(['upload', mediaPath('photo.jpg'), '--format', 'slug'], { env })).stdout.trim()
    const thumbnailUrl = async () => JSON.parse((await rig.fh(['show', slug, '--json'], { env })).stdout).thumb_url
    await until(async () => (await thumbnailUrl()) !== null)
    const thumbnail = await fetch(await thumbnailUrl())
    expect(Buffer.from(await thumbnail.arrayBuffer()).equals(await readFile(mediaPath('photo.jpg')))).toBe(true)
    await stop(running)
  },
)

test('fh emulate --data needs no package, and says nothing of an experimental SQLite', async () => {
  const rig = await installedAlone()
  const running = rig.start(['emulate', '--port', '0', '--data', 'data'])
  expect(await running.printed('stderr', /Thumbnails: .*\n/)).not.toContain('Warning')
  await stop(running)
})
