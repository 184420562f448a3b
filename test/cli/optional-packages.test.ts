import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Upload } from '../../src/protocol/resources.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, type Running } from '../helpers/rig.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { until } from '../helpers/until.ts'

interface Envelope {
  readonly upload: Upload
}

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
    expect(said).toContain(`images are not scaled down (${command}); videos get a grey picture (install ffmpeg)\n`)
    const [baseUrl = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await running.printed('stdout', /FH_BASE_URL/)) ?? []
    const bytes = await readFile(mediaPath('photo.jpg'))
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(bytes)]), 'photo.jpg')
    const headers = { 'X-Api-Key': 'k' }
    const sent = await fetch(`${baseUrl}/api/upload`, { method: 'POST', headers, body: form })
    const { slug } = ((await sent.json()) as Envelope).upload
    const thumbnailUrl = async () => {
      const answer = await fetch(`${baseUrl}/api/uploads/${slug}`, { headers })
      return ((await answer.json()) as Envelope).upload.thumb_url
    }
    await until(async () => (await thumbnailUrl()) !== null)
    const thumbnail = await fetch((await thumbnailUrl()) ?? '')
    expect(bytes.equals(Buffer.from(await thumbnail.arrayBuffer()))).toBe(true)
    await stop(running)
  },
)

test('fh emulate --data without libsql works where Node has SQLite, and elsewhere says how to install it', async () => {
  const rig = await installedAlone()
  const running = rig.start(['emulate', '--port', '0', '--data', 'data'])
  if (process.getBuiltinModule('node:sqlite' as 'node:fs') === undefined) {
    const { code, stderr } = await running.ended
    expect(code).toBe(1)
    expect(stderr).toContain('Keeping data needs SQLite: use Node 22.13 or newer, which has it, or run npm i libsql')
  } else {
    expect(await running.printed('stderr', /Thumbnails: .*\n/)).not.toContain('Warning')
    await stop(running)
  }
})
