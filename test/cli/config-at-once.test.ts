import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { logOut } from '../../src/cli/commands/logout.ts'
import { ConfigStore } from '../../src/cli/config/config-store.ts'
import type { Context } from '../../src/cli/context/context.ts'
import { createRig } from '../helpers/rig.ts'
import { held, scriptedServer } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

test('a login keeps the settings that are stored while it checks the key', async () => {
  const stats = held(200, { uploads: 3, albums: 0, total_views: 9, api_requests: 5 })
  const { baseUrl } = await scriptedServer(stats.step)
  const { fh, configFile } = await createRig()
  const login = fh(['login', '--with-key', '--base-url', baseUrl], { stdin: 'secret-key' })
  await stats.reached
  const store = new ConfigStore({ FH_CONFIG_DIR: dirname(configFile) })
  await store.changeProfile('default', () => ({ retries: '3' }))
  stats.release()
  expect((await login).code).toBe(0)
  expect(store.profile('default')).toEqual({ retries: '3', base_url: baseUrl, api_key: 'secret-key' })
})

test('a logout leaves a key that another process stores while it works', async () => {
  const env = { FH_CONFIG_DIR: temporaryFolder(), FH_STATE_DIR: temporaryFolder() }
  const store = new ConfigStore(env)
  await store.changeProfile('default', () => ({ api_key: 'old' }))
  class Raced extends ConfigStore {
    override async changeProfile(...[name, change]: Parameters<ConfigStore['changeProfile']>) {
      await super.changeProfile(name, () => ({ api_key: 'new' }))
      await super.changeProfile(name, change)
    }
  }
  const config = new Raced(env)
  const context = { config, io: { env }, profile: () => ({ name: 'default' }), note() {}, tell() {} }
  await logOut(false, context as unknown as Context)
  expect(store.profile('default')).toEqual({ api_key: 'new' })
})
