import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, type Rig } from '../helpers/rig.ts'

const unshare = ['unshare', process.getuid?.() === 0 ? '-m' : '-rm']
const canMount = spawnSync('env', [...unshare, 'mount', '--bind', '/tmp', '/tmp']).status === 0

/** Runs fh where a file has a mount of its own, as `docker run -v OUTSIDE:INSIDE` makes it. */
async function mountedRig(rig: Rig, inside: string, content: string, { skip }: TestContext) {
  skip(!canMount, 'left out: a test may not mount files here')
  const outside = join(rig.home, 'outside')
  await mkdir(dirname(inside), { recursive: true, mode: 0o700 })
  for (const path of [outside, inside]) await writeFile(path, content, { mode: 0o600 })
  return {
    outside: () => readFile(outside, 'utf8'),
    fh: async (args: readonly string[], options = 'bind') => {
      const script = `mount --bind "$1" "$2" && mount -o remount,${options} "$2" && shift 2 && exec "$@"`
      return await rig.program(args, { through: [...unshare, 'sh', '-c', script, 'sh', outside, inside] })
    },
  }
}

const profile = { base_url: 'http://127.0.0.1:9', api_key: 'secret' }
const stored = JSON.stringify({ profiles: { default: profile } })

test('a config file that is mounted by itself is written in place, and keeps no key after a logout', async (context) => {
  const rig = await createRig()
  const { fh, outside } = await mountedRig(rig, rig.configFile, stored, context)
  expect(await fh(['config', 'set', 'timeout', '30s'])).toMatchObject({ code: 0 })
  expect(JSON.parse(await outside())).toEqual({ profiles: { default: { ...profile, timeout: '30s' } } })
  expect(await fh(['logout'])).toMatchObject({ code: 0 })
  const { base_url } = profile
  expect(JSON.parse(await outside())).toEqual({ profiles: { default: { base_url, timeout: '30s' } } })
  expect(await readdir(dirname(rig.configFile))).toEqual(['config.json'])
})

test('a config file on a read-only mount is named as such, and unchanged', async (context) => {
  const rig = await createRig()
  const { fh, outside } = await mountedRig(rig, rig.configFile, stored, context)
  const { code, stderr } = await fh(['logout'], 'bind,ro')
  expect([code, await outside()]).toEqual([2, stored])
  expect(stderr).toBe(
    `fh: The config file ${rig.configFile} cannot be written: read-only file system\n` +
      '  It was not changed: fix its content or permissions (chmod 600), or name another folder in FH_CONFIG_DIR\n',
  )
})

test('an export and a HAR into a file that is mounted by itself are written in place', async (context) => {
  for (const flag of ['--export', '--har']) {
    const rig = await createRig()
    const { fh, outside } = await mountedRig(rig, join(rig.folder, 'out.json'), 'x'.repeat(100_000), context)
    expect(await fh(['emulate', flag, 'out.json', '--', 'true'])).toMatchObject({ code: 0 })
    expect(Object.keys(JSON.parse(await outside()))).not.toEqual([])
    expect(await readdir(rig.folder)).toEqual(['out.json'])
  }
})

test('download --force into a file that is mounted by itself writes it in place', async (context) => {
  const rig = await emulatedRig()
  const slug = (await rig.fh(['upload', '--format', 'slug', mediaPath('photo.jpg')])).stdout.trim()
  const { fh } = await mountedRig(rig, join(rig.folder, 'a.jpg'), 'older', context)
  expect(await fh(['download', '--force', '-o', 'a.jpg', slug])).toMatchObject({ code: 0, stdout: 'a.jpg\n' })
  expect((await stat(join(rig.home, 'outside'))).size).toBe((await stat(mediaPath('photo.jpg'))).size)
  expect(await readdir(rig.folder)).toEqual(['a.jpg'])
})
