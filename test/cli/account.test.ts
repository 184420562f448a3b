import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, type Rig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

const stats = answer(200, { uploads: 3, albums: 0, total_views: 9, api_requests: 5 })
const nowhere = 'http://127.0.0.1:1'

async function writeConfig({ configFile }: Rig, content: string): Promise<void> {
  await mkdir(dirname(configFile), { recursive: true })
  await writeFile(configFile, content)
}

/** The permissions of the config file and of its folder. */
async function modes({ configFile }: Rig) {
  return [(await stat(configFile)).mode & 0o777, (await stat(dirname(configFile))).mode & 0o777]
}

test('login checks the key with one request and stores it where only the user can read it', async () => {
  const server = await scriptedServer(stats)
  const rig = await createRig()
  const login = ['login', '--with-key', '--base-url', `${server.baseUrl}/`]
  const stderr = `Logged in to ${server.baseUrl} (uploads: 3); stored in profile default of ${rig.configFile}\n`
  expect(await rig.fh(login, { stdin: ' secret-key\n' })).toMatchObject({ code: 0, stdout: '', stderr })
  expect(server.requests).toMatchObject([{ method: 'GET', url: '/api/stats', headers: { 'x-api-key': 'secret-key' } }])
  expect(JSON.parse(await readFile(rig.configFile, 'utf8'))).toEqual({
    profiles: { default: { base_url: server.baseUrl, api_key: 'secret-key' } },
  })
  expect(await modes(rig)).toEqual([0o600, 0o700])
})

test('commands use the stored key after login, and none after logout', async () => {
  const server = await scriptedServer(stats)
  const rig = await createRig()
  await rig.fh(['login', '--with-key', '--base-url', server.baseUrl], { stdin: 'secret-key' })
  expect((await rig.fh(['stats', '--json'])).code).toBe(0)
  expect(await rig.fh(['logout'])).toMatchObject({ code: 0, stderr: 'Deleted the key of profile default\n' })
  const none = expect.stringMatching(/No API key is set\n {2}Run fh login/)
  expect(await rig.fh(['stats'])).toMatchObject({ code: 4, stderr: none })
  const stdout = '{"profile":"default","removed":false}\n'
  expect(await rig.fh(['logout', '--json'])).toMatchObject({ code: 0, stdout })
})

test('logout names other sources that still provide a key', async () => {
  const rig = await createRig()
  await rig.fh(['config', 'set', 'key_command', 'echo key'])
  const { stderr } = await rig.fh(['logout'], { env: { FH_API_KEY_FILE: '/nowhere' } })
  expect(stderr).toBe(
    'No key is stored in profile default\n' +
      'FH_API_KEY_FILE is set, and used instead of a stored key; unset it to change that\n' +
      'key_command is set, and used instead of a stored key; unset it to change that\n',
  )
})

test('logout says that the record stays where there is one, and --forget forgets that of the account alone', async () => {
  const rig = await emulatedRig()
  const other = await emulatedRig()
  const { emulator, baseUrl, home } = rig
  const remembered = uploadsDb(home).text
  const inProfile = { env: { FH_API_KEY: undefined, FH_BASE_URL: '' } }
  const login = () => rig.fh(['login', '--with-key', '--base-url', baseUrl], { ...inProfile, stdin: emulator.apiKey })
  const logout = (...flags: readonly string[]) => rig.fh(['logout', ...flags], inProfile)
  const elsewhere = { env: { FH_API_KEY: other.emulator.apiKey, FH_BASE_URL: other.baseUrl } }
  await rig.fh(['upload', mediaPath('photo.jpg')])
  await rig.fh(['upload', mediaPath('picture.png')], elsewhere)
  await login()
  expect((await logout()).stderr).toBe('Deleted the key of profile default\n')
  const unknown = await logout('--forget')
  expect(unknown.code).toBe(4)
  expect(unknown.stderr).toMatch(
    /fh: The record of uploads of profile default was not forgotten: its key is not known\n {2}Run it again with the key in FH_API_KEY, or delete .*uploads\.db to forget/,
  )
  expect(remembered()).toContain('photo.jpg')
  await login()
  const stderr = 'Deleted the key of profile default; forgot its record of uploads\n'
  expect(await logout('--forget')).toMatchObject({ code: 0, stderr })
  expect(remembered()).toMatch(/^(?!.*photo\.jpg).*picture\.png/s)
})

test('login stores nothing if the service rejects the key, or it is none', async () => {
  const server = await scriptedServer(answer(401, { error: 'Invalid API key.' }))
  const rig = await createRig()
  const login = ['login', '--with-key', '--base-url', server.baseUrl]
  const { code, stderr } = await rig.fh(login, { stdin: 'wrong' })
  expect([code, stderr]).toEqual([4, expect.stringMatching(/^fh: .*401: Invalid API key\.\n {2}/)])
  expect(stderr).not.toContain('wrong')
  const long = { code: 2, stderr: 'fh: standard input: more than 4 MB is no API key\n' }
  expect(await rig.fh(login, { stdin: 'y\n'.repeat(2_097_153) })).toMatchObject(long)
  await expect(stat(rig.configFile)).rejects.toThrow('ENOENT')
})

test.each(['FH_API_KEY', 'FH_API_KEY_FILE'])('login refuses to run while %s would override the key', async (name) => {
  const { fh } = await createRig()
  const stderr = `fh: ${name} is set and wins over a stored key: unset it to log in\n`
  expect(await fh(['login', '--with-key'], { env: { [name]: 'x' }, stdin: 'y' })).toMatchObject({ code: 2, stderr })
})

test.each([
  [['--base-url', nowhere], /Cannot ask for the API key: there is no terminal\n {2}.*--with-key/],
  [['--with-key'], /Cannot ask for the address.*\n {2}.*--base-url/],
])('login %j without a terminal says how to log in without prompts', async (flags, message) => {
  const { fh } = await createRig()
  const ended = await fh(['login', ...flags], { stdin: 'key' })
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringMatching(message) })
})

test('config set, get, unset and path work on the profile', async () => {
  const { fh, configFile } = await createRig()
  expect((await fh(['config', 'path'])).stdout).toBe(`${configFile}\n`)
  await fh(['config', 'set', 'max_wait', '20m'])
  expect((await fh(['config', 'get', 'max_wait'])).stdout).toBe('20m\n')
  expect((await fh(['config', 'get', 'max_wait', '--json'])).stdout).toBe('"20m"\n')
  await fh(['config', 'unset', 'max_wait'])
  expect((await fh(['config', 'get', 'max_wait'])).stdout).toBe('1h\n')
  const stderr = 'fh: base_url is not set\n  fh config set base_url VALUE stores it\n'
  expect(await fh(['config', 'get', 'base_url'])).toMatchObject({ code: 1, stderr })
})

test('config set stores ca_cert as an absolute path', async () => {
  const { fh, folder } = await createRig()
  expect((await fh(['config', 'set', 'ca_cert', 'ca.pem'])).code).toBe(0)
  expect((await fh(['config', 'get', 'ca_cert'])).stdout).toBe(`${join(folder, 'ca.pem')}\n`)
})

test('config set stores the Redis server of the ledger, and no command prints its user and password', async () => {
  const rig = await createRig()
  const url = 'rediss://alice:hunter2@redis.example/2'
  const shown = 'rediss://[redacted]@redis.example:6379/2'
  const set = await rig.fh(['config', 'set', 'ledger', url, '--json', '--debug'])
  expect([set.code, JSON.parse(set.stdout)]).toMatchObject([0, { name: 'ledger', value: shown }])
  const listed = await rig.fh(['config', 'list', '--show-origin', '--debug'])
  expect(listed.stdout).toContain(`\nledger=${shown}\tprofile default (${rig.configFile})\n`)
  const env = { FH_LEDGER: 'redis://:hunter2@other.example' }
  const overridden = await rig.fh(['config', 'list', '--show-origin'], { env })
  expect(overridden.stdout).toContain('\nledger=redis://[redacted]@other.example:6379\tFH_LEDGER\n')
  expect(JSON.stringify([set, listed, overridden])).not.toMatch(/hunter2|alice/)
  expect(JSON.parse(await readFile(rig.configFile, 'utf8'))).toEqual({ profiles: { default: { ledger: url } } })
})

test('a ledger that is not the URL of a Redis server is refused by its place, and its password is not printed', async () => {
  const rig = await createRig({ service: { baseUrl: nowhere } })
  const ledger = 'redis://alice:hunter2#x@redis.example'
  await writeConfig(rig, JSON.stringify({ profiles: { default: { ledger } } }))
  const reason = 'not the URL of a Redis server: write redis://'
  const runs: readonly (readonly [string[], Record<string, string>, number, string])[] = [
    [['config', 'set', 'ledger', ledger], {}, 2, `fh: ledger: ${reason}`],
    [['stats', '--debug'], {}, 2, `ledger of profile default: ${reason}`],
    [['upload', 'photo.jpg', '--debug'], { FH_LEDGER: ledger }, 2, `FH_LEDGER: ${reason}`],
    [['doctor'], {}, 2, `fail  config       ledger of profile default: ${reason}`],
    [['config', 'list'], {}, 0, '\nledger=[redacted]\n'],
  ]
  for (const [args, env, code, text] of runs) {
    const ended = await rig.fh(args, { env })
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringContaining(text)])
    expect(ended.stdout + ended.stderr).not.toMatch(/hunter2|alice/)
  }
})

test('config list shows the origin of each value, and never the key', async () => {
  const rig = await createRig()
  await writeConfig(rig, JSON.stringify({ profiles: { default: { api_key: 'secret-key', retries: 2 }, home: {} } }))
  const env = { FH_BASE_URL: nowhere }
  const { stdout, stderr } = await rig.fh(['config', 'list', '--show-origin', '--timeout', '9s'], { env })
  expect(stderr).toBe('')
  expect(stdout.split('\n')).toEqual([
    `base_url=${nowhere}\tFH_BASE_URL`,
    `api_key=[redacted]\tprofile default (${rig.configFile})`,
    'timeout=9s\t--timeout',
    'max_wait=1h\tdefault',
    `retries=2\tprofile default (${rig.configFile})`,
    'limits=burst=20,minute=60,hour=1000,day=10000\tdefault',
    'max_file_size=200MB\tdefault',
    '',
  ])
  expect((await rig.fh(['config', 'list', '--json'])).stdout).not.toContain('secret-key')
})

test.each([
  ['text that is no JSON', '{"profiles":'],
  ['a profile that is a text', '{"profiles":{"default":"x"}}'],
  ['a choice of a profile that is no text', '{"profiles":{},"profile":{}}'],
  ['a value that is an object', '{"profiles":{"default":{"retries":{}}}}'],
])('a config file with %s is named in the error and not changed', async (_, content) => {
  const rig = await createRig()
  await writeConfig(rig, content)
  for (const args of [['stats'], ['config', 'set', 'retries', '3'], ['logout']]) {
    const { code, stderr } = await rig.fh(args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^fh: The config file .* is broken: .*\n {2}It was not/)])
    expect(stderr).toContain(rig.configFile)
  }
  expect(await readFile(rig.configFile, 'utf8')).toBe(content)
})

test('writing a config file takes the permission of others away, but not from the folder of FH_CONFIG_DIR', async () => {
  const rig = await createRig()
  await writeConfig(rig, '{}')
  const set = ['config', 'set', 'retries', '3']
  await rig.fh(set, { env: { FH_CONFIG_DIR: dirname(rig.configFile) } })
  expect(await modes(rig)).toEqual([0o600, 0o755])
  await rig.fh(set)
  expect(await modes(rig)).toEqual([0o600, 0o700])
})

test('the key can come from a file, and one that is missing is named with its variable', async () => {
  const server = await scriptedServer(stats)
  const { fh, write, folder } = await createRig({ service: { baseUrl: server.baseUrl } })
  await write('key.txt', 'file-key\n')
  const withFile = (path: string) => fh(['stats'], { env: { FH_API_KEY: undefined, FH_API_KEY_FILE: path } })
  await withFile(join(folder, 'key.txt'))
  expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['file-key'])
  const stderr = 'fh: FH_API_KEY_FILE=/nowhere/key: the API key cannot be read: there is no such file or folder\n'
  expect(await withFile('/nowhere/key')).toMatchObject({ code: 4, stderr })
})
