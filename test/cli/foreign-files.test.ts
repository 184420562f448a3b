import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'

const stranger = 54_321

async function linkedConfig(mode = 0o600) {
  const rig = await createRig()
  const target = join(rig.home, 'dotfiles', 'fh-config')
  await mkdir(dirname(target))
  await mkdir(dirname(rig.configFile), { recursive: true })
  await writeFile(target, '{"profiles":{"default":{"retries":"3"}}}')
  await chmod(target, mode)
  await symlink(target, rig.configFile)
  return { ...rig, target }
}

describe('the config file', () => {
  test('a config file that is the user’s own link is read and written at its target, and stays a link', async () => {
    const rig = await linkedConfig(0o644)
    expect((await rig.fh(['config', 'get', 'retries'])).stdout).toBe('3\n')
    expect((await rig.fh(['config', 'set', 'retries', '4'])).code).toBe(0)
    expect(await readlink(rig.configFile)).toBe(rig.target)
    expect(JSON.parse(await readFile(rig.target, 'utf8'))).toEqual({ profiles: { default: { retries: '4' } } })
    expect((await stat(rig.target)).mode & 0o777).toBe(0o600)
  })

  test('a config file that others can write is refused, naming the command that fixes it', async () => {
    const rig = await linkedConfig(0o666)
    const { code, stderr } = await rig.fh(['config', 'get', 'retries'])
    expect([code, stderr]).toEqual([
      2,
      `fh: The config file ${rig.configFile} cannot be read: ${rig.target} can be written by others\n` +
        `  Check that no other user has changed it, then run chmod go-w ${rig.target}\n`,
    ])
  })

  test('root reads a config file of another user that only its owner can write, and does not write it', async (ctx) => {
    ctx.skip(process.geteuid?.() !== 0, 'left out: only root can give a file to another user')
    const rig = await linkedConfig(0o600)
    await chown(rig.target, stranger, stranger)
    await lchown(rig.configFile, stranger, stranger)
    expect(await rig.fh(['config', 'get', 'retries'])).toMatchObject({ code: 0, stdout: '3\n' })
    await lchown(rig.configFile, 0, 0)
    const { code, stderr } = await rig.fh(['config', 'set', 'retries', '4'])
    expect([code, stderr]).toEqual([
      2,
      `fh: The config file ${rig.configFile} cannot be written: ${rig.target} belongs to another user\n` +
        '  Run it as the user to whom the file belongs, or name another folder in FH_CONFIG_DIR\n',
    ])
    await chmod(rig.target, 0o620)
    expect((await rig.fh(['config', 'get', 'retries'])).stderr).toContain(`${rig.target} can be written by others`)
  })

  test('a config file with a second hard link is not replaced', async () => {
    const rig = await createRig()
    await mkdir(dirname(rig.configFile), { recursive: true })
    await writeFile(rig.configFile, '{}')
    await link(rig.configFile, join(rig.home, 'other'))
    const { code, stderr } = await rig.fh(['config', 'set', 'retries', '4'])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${rig.configFile} has a second name`)])
    expect(stderr).toContain(`mv ${rig.configFile}.new ${rig.configFile}`)
    expect(await readFile(join(rig.home, 'other'), 'utf8')).toBe('{}')
  })
})

test('links in place of journal and ledger are reported and not written to, and uploads continue', async () => {
  const rig = await emulatedRig()
  await rig.write('photo.jpg', jpegBytes(1_000))
  const state = join(rig.home, '.local/state/fh')
  const precious = join(rig.home, 'precious')
  await mkdir(join(rig.home, 'elsewhere'))
  await writeFile(precious, '')
  await rig.fh(['upload', 'photo.jpg'])
  const [journal, rate] = [join(state, 'uploads.journal'), join(state, 'rate')]
  const [ledger = ''] = await readdir(rate)
  await rename(journal, join(rig.home, 'old-journal'))
  await rename(join(rate, ledger), join(rig.home, 'old-ledger'))
  await symlink(precious, journal)
  await symlink(join(rig.home, 'elsewhere'), join(rate, ledger))
  const { code, stdout, stderr } = await rig.fh(['upload', 'photo.jpg'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http\S+\n$/)])
  expect(stderr).toContain(`${journal} is a link, which is not followed`)
  expect(stderr).toContain(`${join(rate, ledger)} is a link, which is not followed`)
  expect(await readFile(precious, 'utf8')).toBe('')
  expect(await readdir(join(rig.home, 'elsewhere'))).toEqual([])
  expect((await lstat(journal)).isSymbolicLink()).toBe(true)
})
