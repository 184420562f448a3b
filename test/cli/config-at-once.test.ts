import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { logOut } from '../../src/cli/commands/logout.ts'
import { ConfigStore } from '../../src/cli/config/config-store.ts'
import type { Context } from '../../src/cli/context/context.ts'
import { systemClock } from '../../src/clock.ts'
import { openLock } from '../../src/store/sqlite.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { createRig } from '../helpers/rig.ts'
import { held, scriptedServer } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

test('settings that six commands store at once are all stored, though a killed one has left its lock', async () => {
  const { program, configFile } = await createRig()
  await mkdir(dirname(configFile), { recursive: true })
  await writeFile(`${configFile}.lock`, '')
  const wanted = { retries: '3', timeout: '40s', max_wait: '20m', limits: 'none', max_file_size: '100MB' }
  const stored = Object.entries(wanted).map(([name, value]) => program(['config', 'set', name, value]))
  const other = program(['config', 'set', 'retries', '1', '--profile', 'work'])
  expect((await Promise.all([...stored, other])).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
  expect(JSON.parse(await readFile(configFile, 'utf8'))).toEqual({
    profiles: { default: wanted, work: { retries: '1' } },
  })
  expect(await readdir(dirname(configFile))).toEqual(['config.json'])
})

test('a login keeps the settings that are stored while it checks the key', async () => {
  const stats = held(200, { uploads: 3, albums: 0, total_views: 9, api_requests: 5 })
  const { baseUrl } = await scriptedServer(stats.step)
  const { fh, configFile } = await createRig()
  const login = fh(['login', '--with-key', '--base-url', baseUrl], { stdin: 'secret-key' })
  await stats.reached
  const store = new ConfigStore({ FH_CONFIG_DIR: dirname(configFile) }, systemClock)
  await store.changeProfile('default', () => ({ retries: '3' }))
  stats.release()
  expect((await login).code).toBe(0)
  expect(store.profile('default')).toEqual({ retries: '3', base_url: baseUrl, api_key: 'secret-key' })
})

test('a logout leaves a key that another process stores while it works', async () => {
  const env = { FH_CONFIG_DIR: temporaryFolder(), FH_STATE_DIR: temporaryFolder() }
  const store = new ConfigStore(env, instantClock())
  await store.changeProfile('default', () => ({ api_key: 'old' }))
  class Raced extends ConfigStore {
    override async changeProfile(...[name, change]: Parameters<ConfigStore['changeProfile']>) {
      await super.changeProfile(name, () => ({ api_key: 'new' }))
      await super.changeProfile(name, change)
    }
  }
  const config = new Raced(env, instantClock())
  const context = { config, io: { env }, profile: () => ({ name: 'default' }), note() {}, tell() {} }
  await logOut(false, context as unknown as Context)
  expect(store.profile('default')).toEqual({ api_key: 'new' })
})

test('a config file that another process does not stop changing is not written', async () => {
  const folder = temporaryFolder()
  const store = new ConfigStore({ FH_CONFIG_DIR: folder }, instantClock())
  await store.changeProfile('a', () => ({ retries: '3' }))
  const lock = openLock(`${store.path}.lock`)
  await expect(store.changeProfile('a', () => ({ retries: '4' }))).rejects.toMatchObject({
    code: 'config-unusable',
    message: `The config file ${store.path} cannot be written: another process holds it: has that one been stopped?`,
    hint: 'Run the command again once that process has ended',
  })
  lock.close()
  expect(store.profile('a')).toEqual({ retries: '3' })
})
