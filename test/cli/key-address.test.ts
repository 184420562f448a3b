import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const stats = answer(200, { uploads: 3, albums: 0, total_views: 9, api_requests: 5 })

/** A service, and the keys that it was sent. */
async function service() {
  const { baseUrl, requests } = await scriptedServer(stats)
  return { baseUrl, keys: () => requests.map(({ headers }) => headers['x-api-key']) }
}

/** A profile with the key of one service, and another service that asks for it. */
async function loggedIn() {
  const [own, other, rig] = [await service(), await service(), await createRig()]
  await rig.fh(['login', '--with-key', '--base-url', own.baseUrl], { stdin: 'stored-key' })
  return { ...rig, own, other }
}

test('a stored key is not sent if --base-url or FH_BASE_URL names another service: exit 4, and nothing is sent', async () => {
  const { fh, own, other } = await loggedIn()
  const stderr =
    `fh: The stored key of profile default is for ${own.baseUrl}, not for ${other.baseUrl}\n` +
    '  fh login --profile NAME stores a key with its address; or set FH_API_KEY\n'
  expect(await fh(['stats', '--base-url', other.baseUrl])).toMatchObject({ code: 4, stderr })
  expect(await fh(['stats'], { env: { FH_BASE_URL: other.baseUrl } })).toMatchObject({ code: 4, stderr })
  expect(other.keys()).toEqual([])
})

test('a key_command runs only for the address stored with it, and does not run without a stored address', async () => {
  const own = await service()
  const { fh, folder } = await createRig()
  await fh(['config', 'set', 'key_command', 'touch asked && echo command-key'])
  const stderr =
    'fh: The key_command of profile default is stored without the address it is for\n' +
    '  fh config set base_url VALUE stores it\n'
  expect(await fh(['stats', '--base-url', own.baseUrl])).toMatchObject({ code: 4, stderr })
  await fh(['config', 'set', 'base_url', own.baseUrl])
  const foreign = await fh(['stats', '--base-url', 'http://127.0.0.1:1'])
  expect([foreign.code, foreign.stderr]).toEqual([4, expect.stringContaining('The key_command of profile default is')])
  await expect(stat(join(folder, 'asked'))).rejects.toThrow('ENOENT')
  expect((await fh(['stats'])).code).toBe(0)
  expect(own.keys()).toEqual(['command-key'])
})

test('config set base_url is refused over a stored key, also after the address was unset, and names fh login', async () => {
  const { fh, own, other, configFile } = await loggedIn()
  const before = await readFile(configFile, 'utf8')
  const stderr =
    `fh: The stored key of profile default belongs to another address than ${other.baseUrl}\n` +
    `  fh login --base-url ${other.baseUrl} stores a key with its address; or set FH_API_KEY\n`
  expect(await fh(['config', 'set', 'base_url', other.baseUrl])).toMatchObject({ code: 2, stderr })
  expect(await readFile(configFile, 'utf8')).toBe(before)
  await fh(['config', 'unset', 'base_url'])
  expect((await fh(['config', 'set', 'base_url', other.baseUrl])).code).toBe(2)
  const unbound = await fh(['stats', '--base-url', other.baseUrl])
  expect([unbound.code, unbound.stderr]).toEqual([4, expect.stringContaining('fh login stores a key with its address')])
  expect([own.keys().length, other.keys().length]).toEqual([1, 0])
})
