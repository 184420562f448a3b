import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const stats = answer(200, { uploads: 3, albums: 0, total_views: 9, api_requests: 5 })

/** A profile with the key of one service, and another service that asks for it. */
async function loggedIn() {
  const [own, other] = [await scriptedServer(stats), await scriptedServer(stats)]
  const rig = await createRig()
  await rig.fh(['login', '--with-key', '--base-url', own.baseUrl], { stdin: 'stored-key' })
  return { ...rig, own, other }
}

test('a stored key is not sent if --base-url or FH_BASE_URL names another service: exit 4, and nothing is sent', async () => {
  const { fh, own, other } = await loggedIn()
  const byFlag = await fh(['stats', '--base-url', other.baseUrl])
  const byVariable = await fh(['stats'], { env: { FH_BASE_URL: other.baseUrl } })
  expect([byFlag.code, byVariable.code]).toEqual([4, 4])
  expect(byFlag.stderr).toBe(
    `fh: The stored key of profile default is for ${own.baseUrl}, not for ${other.baseUrl}\n` +
      '  Use --profile NAME for a profile of that address, or set FH_API_KEY\n',
  )
  expect(byVariable.stderr).toBe(byFlag.stderr)
  expect(other.requests).toEqual([])
})

test('a key from the environment is used with the address from the environment, instead of the stored one', async () => {
  const { fh, other } = await loggedIn()
  const env = { FH_BASE_URL: other.baseUrl, FH_API_KEY: 'given-key' }
  expect((await fh(['stats'], { env })).code).toBe(0)
  expect(other.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['given-key'])
})

test('a stored key is also sent to its service under another name of this machine', async () => {
  const { fh, own } = await loggedIn()
  const { code } = await fh(['stats', '--base-url', `${own.baseUrl.replace('127.0.0.1', 'localhost')}/`])
  expect(code).toBe(0)
})

test('a key_command runs only for the address stored with it, and does not run without a stored address', async () => {
  const own = await scriptedServer(stats)
  const rig = await createRig()
  await rig.fh(['config', 'set', 'key_command', 'touch asked && echo command-key'])
  const unbound = await rig.fh(['stats', '--base-url', own.baseUrl])
  expect(unbound.code).toBe(4)
  expect(unbound.stderr).toBe(
    'fh: The key_command of profile default is stored without the address it is for\n' +
      '  fh config set base_url URL stores the address, or set FH_API_KEY\n',
  )
  await rig.fh(['config', 'set', 'base_url', own.baseUrl])
  const foreign = await rig.fh(['stats', '--base-url', 'http://127.0.0.1:1'])
  expect([foreign.code, foreign.stderr]).toEqual([4, expect.stringContaining('The key_command of profile default is')])
  await expect(stat(join(rig.folder, 'asked'))).rejects.toThrow('ENOENT')
  expect((await rig.fh(['stats'])).code).toBe(0)
  expect(own.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['command-key'])
})

test('config set base_url is refused over a stored key, also after the address was unset, and names fh login', async () => {
  const { fh, own, other, configFile } = await loggedIn()
  const before = await readFile(configFile, 'utf8')
  const refused = await fh(['config', 'set', 'base_url', other.baseUrl])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toBe(
    `fh: The stored key of profile default belongs to another address than ${other.baseUrl}\n` +
      `  Run fh login --base-url ${other.baseUrl} to store the address with its own key\n`,
  )
  expect(await readFile(configFile, 'utf8')).toBe(before)
  await fh(['config', 'unset', 'base_url'])
  expect((await fh(['config', 'set', 'base_url', other.baseUrl])).code).toBe(2)
  const unbound = await fh(['stats', '--base-url', other.baseUrl])
  expect([unbound.code, unbound.stderr]).toEqual([4, expect.stringContaining('fh login stores both')])
  expect([own.requests.length, other.requests.length]).toEqual([1, 0])
})
