import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigStore } from '../../src/cli/config/config-store.ts'
import { createRig } from '../helpers/rig.ts'
import { held, scriptedServer } from '../helpers/scripted-server.ts'

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
  expect(store.stored().profiles['default']).toEqual({ retries: '3', base_url: baseUrl, api_key: 'secret-key' })
})
