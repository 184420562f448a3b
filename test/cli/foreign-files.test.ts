import { chmod, chown, mkdir, readdir, readFile, readlink, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'

async function linkedConfig(mode: number) {
  const rig = await createRig()
  const target = join(rig.home, 'dotfiles', 'fh-config')
  for (const path of [target, rig.configFile]) await mkdir(dirname(path), { recursive: true })
  await writeFile(target, '{"profiles":{"default":{"retries":"3"}}}')
  await chmod(target, mode)
  await symlink(target, rig.configFile)
  const { configFile, fh } = rig
  return {
    configFile,
    target,
    get: () => fh(['config', 'get', 'retries']),
    set: () => fh(['config', 'set', 'retries', '4']),
  }
}

test('a config file that is the user’s own link is read and written at its target, and stays a link', async () => {
  const { configFile, target, get, set } = await linkedConfig(0o644)
  expect([(await get()).stdout, (await set()).code]).toEqual(['3\n', 0])
  expect(await readlink(configFile)).toBe(target)
  expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({ profiles: { default: { retries: '4' } } })
  expect((await stat(target)).mode & 0o777).toBe(0o600)
})

test('a config file that others can write is refused, naming the command that fixes it', async () => {
  const { configFile, get } = await linkedConfig(0o666)
  const stderr =
    `fh: The config file ${configFile} cannot be read: other users can write it\n` +
    '  It was not changed: fix its content or permissions (chmod 600), or name another folder in FH_CONFIG_DIR\n'
  expect(await get()).toMatchObject({ code: 2, stderr })
})

test('root uses a config file of another user that only its owner can write', async (ctx) => {
  ctx.skip(process.geteuid?.() !== 0, 'left out: only root can give a file to another user')
  const { target, get, set } = await linkedConfig(0o600)
  const stranger = 54_321
  await chown(target, stranger, stranger)
  expect(await get()).toMatchObject({ code: 0, stdout: '3\n' })
  expect((await set()).code).toBe(0)
  expect((await stat(target)).uid).toBe(stranger)
  await chmod(target, 0o620)
  expect((await get()).stderr).toContain('other users can write it')
})

test('links in place of record and ledger are reported and not written to, and uploads continue', async () => {
  const rig = await emulatedRig()
  await rig.write('photo.jpg', jpegBytes(1_000))
  await rig.fh(['upload', 'photo.jpg'])
  const state = join(rig.home, '.local/state/fh')
  const targets = [join(rig.home, 'precious'), join(rig.home, 'elsewhere')] as const
  const links = [join(state, 'uploads.db'), join(state, 'quota.db')] as const
  for (const path of links) await rename(path, `${rig.home}/old-${basename(path)}`)
  await writeFile(targets[0], '')
  await mkdir(targets[1])
  for (const [index, path] of links.entries()) await symlink(targets[index] ?? '', path)
  const { code, stdout, stderr } = await rig.fh(['upload', 'photo.jpg'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http\S+\n$/)])
  for (const path of links) expect(stderr).toContain(`${path} is a link, which is not followed`)
  expect([await readFile(targets[0], 'utf8'), await readdir(targets[1])]).toEqual(['', []])
  expect(await readlink(links[0])).toBe(targets[0])
})
