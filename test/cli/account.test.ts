import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, type Rig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const statsBody = { uploads: 3, albums: 0, total_views: 9, api_requests: 5 }

async function writeConfig({ configFile }: Rig, content: string): Promise<void> {
  await mkdir(join(configFile, '..'), { recursive: true })
  await writeFile(configFile, content)
}

describe('login', () => {
  test('login checks the key with one request and stores it where only the user can read it', async () => {
    const server = await scriptedServer(answer(200, statsBody))
    const rig = await createRig()
    const { code, stdout, stderr } = await rig.fh(['login', '--with-key', '--base-url', `${server.baseUrl}/`], {
      stdin: ' secret-key\n',
    })
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toBe(`Logged in to ${server.baseUrl} (uploads: 3); stored in profile default of ${rig.configFile}\n`)
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /api/stats'])
    expect(server.requests[0]?.headers['x-api-key']).toBe('secret-key')
    expect(JSON.parse(await readFile(rig.configFile, 'utf8'))).toEqual({
      profiles: { default: { base_url: server.baseUrl, api_key: 'secret-key' } },
    })
    expect((await stat(rig.configFile)).mode & 0o777).toBe(0o600)
    expect((await stat(join(rig.configFile, '..'))).mode & 0o777).toBe(0o700)
  })

  test('commands use the stored key after login, and none after logout', async () => {
    const server = await scriptedServer(answer(200, statsBody))
    const rig = await createRig()
    await rig.fh(['login', '--with-key', '--base-url', server.baseUrl], { stdin: 'secret-key' })
    expect((await rig.fh(['stats', '--json'])).code).toBe(0)
    expect(await rig.fh(['logout'])).toMatchObject({ code: 0, stderr: 'Deleted the key of profile default\n' })
    const after = await rig.fh(['stats'])
    expect(after.code).toBe(4)
    expect(after.stderr).toMatch(/No API key is set\n {2}Run fh login/)
    expect(await rig.fh(['logout', '--json'])).toMatchObject({
      code: 0,
      stdout: '{"profile":"default","removed":false}\n',
    })
  })

  test('logout names other sources that still provide a key', async () => {
    const rig = await createRig()
    await rig.fh(['config', 'set', 'key_command', 'echo key'])
    const { stderr } = await rig.fh(['logout'], { env: { FH_API_KEY_FILE: '/nowhere' } })
    expect(stderr).toBe(
      'No key is stored in profile default\nFH_API_KEY_FILE is still set, and is still used\nkey_command is still set, and is still used\n',
    )
  })

  test('logout says that the record stays where there is one, and --forget forgets that of the account alone', async () => {
    const rig = await emulatedRig()
    const other = await emulatedRig()
    const { emulator, baseUrl, home } = rig
    const state = (name: string) => readFile(join(home, '.local/state/fh', name), 'utf8').catch(() => '')
    const remembered = async () => `${await state('uploads.journal')}${await state('uploads.record')}`
    const inProfile = { env: { FH_API_KEY: '', FH_BASE_URL: '' } }
    const login = () => rig.fh(['login', '--with-key', '--base-url', baseUrl], { ...inProfile, stdin: emulator.apiKey })
    const elsewhere = { env: { FH_API_KEY: other.emulator.apiKey, FH_BASE_URL: other.baseUrl } }
    const slug = (await rig.fh(['upload', '--format', 'slug', mediaPath('photo.jpg')])).stdout.trim()
    const slugElsewhere = await rig.fh(['upload', '--format', 'slug', mediaPath('picture.png')], elsewhere)
    await login()
    const stays = await rig.fh(['logout'], inProfile)
    expect(stays.stderr).toBe(
      'Deleted the key of profile default\nThe record of its uploads stays; after another login, fh logout --forget forgets it too\n',
    )
    expect(await remembered()).toContain('photo.jpg')
    const unknown = await rig.fh(['logout', '--forget'], inProfile)
    expect(unknown.code).toBe(4)
    expect(unknown.stderr).toMatch(
      /fh: The record of uploads of profile default was not forgotten: its key is not known\n {2}Run it again with the key in FH_API_KEY, or delete .*uploads\.journal and .*uploads\.record to forget/,
    )
    expect(await remembered()).toContain('photo.jpg')
    await login()
    const forgotten = await rig.fh(['logout', '--forget'], inProfile)
    expect(forgotten).toMatchObject({
      code: 0,
      stderr: 'Deleted the key of profile default; forgot its record of uploads\n',
    })
    expect(await remembered()).not.toContain('photo.jpg')
    expect(await remembered()).not.toContain(slug)
    expect(await remembered()).toContain(slugElsewhere.stdout.trim())
    await login()
    expect((await rig.fh(['logout'], inProfile)).stderr).toBe('Deleted the key of profile default\n')
    await login()
    const nothing = await rig.fh(['logout', '--forget', '--json'], inProfile)
    expect(JSON.parse(nothing.stdout)).toEqual({ profile: 'default', removed: true, forgotten: false })
  })

  test('login stores nothing if the service rejects the key', async () => {
    const server = await scriptedServer(answer(401, { error: 'Invalid API key.' }))
    const rig = await createRig()
    const { code, stderr } = await rig.fh(['login', '--with-key', '--base-url', server.baseUrl], { stdin: 'wrong' })
    expect([code, stderr]).toEqual([4, expect.stringMatching(/^fh: .*401: Invalid API key\.\n {2}/)])
    expect(stderr).not.toContain('wrong')
    await expect(stat(rig.configFile)).rejects.toThrow('ENOENT')
  })

  test('login --with-key refuses an input that never ends', async () => {
    const rig = await createRig()
    const program = ['sh', '-c', 'yes | "$0" "$@"']
    const { code, stderr } = await rig.program(['login', '--with-key', '--base-url', 'http://127.0.0.1:1'], {
      through: program,
    })
    expect([code, stderr]).toEqual([2, 'fh: standard input: more than 4 MB is no API key\n'])
  })

  test('login refuses to run while a variable would override the stored key', async () => {
    const rig = await createRig()
    for (const name of ['FH_API_KEY', 'FH_API_KEY_FILE']) {
      const { code, stderr } = await rig.fh(['login', '--with-key'], { env: { [name]: 'x' }, stdin: 'y' })
      expect(code).toBe(2)
      expect(stderr).toMatch(new RegExp(`^fh: ${name} is set, so a stored key would not be used\n  Unset ${name}`))
    }
  })

  test('login without a terminal says how to log in without prompts', async () => {
    const rig = await createRig()
    const key = await rig.fh(['login', '--base-url', 'http://127.0.0.1:1'])
    expect(key.code).toBe(4)
    expect(key.stderr).toMatch(/Cannot ask for the API key: standard input is not a terminal\n {2}.*--with-key/)
    const address = await rig.fh(['login', '--with-key'], { stdin: 'key' })
    expect(address.code).toBe(4)
    expect(address.stderr).toMatch(/Cannot ask for the address.*\n {2}.*--base-url/)
  })

  test('each profile keeps its own address and key', async () => {
    const server = await scriptedServer(answer(200, statsBody))
    const rig = await createRig()
    const login = ['login', '--with-key', '--base-url', server.baseUrl]
    await rig.fh([...login, '--profile', 'work'], { stdin: 'work-key' })
    await rig.fh(login, { stdin: 'own-key' })
    await rig.fh(['stats'], { env: { FH_PROFILE: 'work' } })
    expect(server.requests.at(-1)?.headers['x-api-key']).toBe('work-key')
    const { stderr } = await rig.fh(['stats', '--profile', 'wrok'])
    expect(stderr).toMatch(/No base URL and no API key are set in profile wrok \(named by --profile\)/)
    expect(stderr).toMatch(/\n {2}Did you mean work\? Profiles: work, default; fh login --profile wrok adds wrok\n$/)
  })

  test('an unknown profile in FH_PROFILE is reported together with the variable', async () => {
    const { fh } = await createRig()
    const { code, stderr } = await fh(['stats'], { env: { FH_PROFILE: 'nope' } })
    expect([code, stderr]).toEqual([
      4,
      'fh: No base URL and no API key are set in profile nope (named by FH_PROFILE)\n' +
        '  No profile is stored yet; fh login --profile nope adds nope\n',
    ])
    expect((await fh(['stats'], { env: { FH_PROFILE: '../x' } })).stderr).toMatch(
      /^fh: FH_PROFILE: "..\/x" is not a valid profile name/,
    )
  })
})

describe('config', () => {
  test('config set, get, unset and path work on the profile', async () => {
    const rig = await createRig()
    expect((await rig.fh(['config', 'path'])).stdout).toBe(`${rig.configFile}\n`)
    await rig.fh(['config', 'set', 'max_wait', '20m'])
    expect((await rig.fh(['config', 'get', 'max-wait'])).stdout).toBe('20m\n')
    expect((await rig.fh(['config', 'get', 'max_wait', '--json'])).stdout).toBe('"20m"\n')
    await rig.fh(['config', 'unset', 'max_wait'])
    expect((await rig.fh(['config', 'get', 'max_wait'])).stdout).toBe('1h\n')
    expect(await rig.fh(['config', 'get', 'base_url'])).toMatchObject({
      code: 1,
      stderr: 'fh: base_url is not set\n  Store it with fh config set base_url VALUE\n',
    })
    expect((await rig.fh(['config', 'get', 'api_key'])).stderr).toMatch(/\n {2}Store it with fh login\n$/)
    expect((await rig.fh(['config', 'get', 'api_key_file'])).stderr).toMatch(/\n {2}Set it with FH_API_KEY_FILE\n$/)
  })

  test('config set, get and list report an overriding variable; other commands do not', async () => {
    const { fh } = await createRig()
    const env = { FH_LIMITS: 'none' }
    const note = 'FH_LIMITS overrides the limits stored in profile default\n'
    const set = await fh(['config', 'set', 'limits', 'burst=5'], { env })
    expect(set.stderr).toBe(`Set limits in profile default\n${note}`)
    expect(await fh(['config', 'get', 'limits'], { env })).toMatchObject({ stdout: 'none\n', stderr: note })
    expect((await fh(['config', 'list'], { env })).stderr).toBe(note)
    expect((await fh(['config', 'get', 'retries'], { env })).stderr).toBe('')
    expect((await fh(['config', 'list'])).stderr).toBe('')
    expect((await fh(['config', 'list', '--retries', '1'])).stderr).toBe('')
  })

  test('config set stores ca_cert as an absolute path, and refuses a file without certificates', async () => {
    const rig = await createRig()
    await rig.write('ca.pem', rootCertificates[0] ?? '')
    expect((await rig.fh(['config', 'set', 'ca_cert', 'ca.pem'])).code).toBe(0)
    expect((await rig.fh(['config', 'get', 'ca_cert'])).stdout).toBe(`${join(rig.folder, 'ca.pem')}\n`)
    const { code, stderr } = await rig.fh(['config', 'set', 'ca_cert', 'gone.pem'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^fh: ca_cert: gone\.pem cannot be read: there is no such file or folder\n/)
  })

  test('config set stores the Redis server of the ledger, and no command prints its user and password', async () => {
    const rig = await createRig()
    const url = 'rediss://alice:hunter2@redis.example/2?runners=5'
    const shown = 'rediss://[redacted]@redis.example:6379/2?runners=5'
    const set = await rig.fh(['config', 'set', 'ledger', url, '--json', '--debug'])
    expect(set.code).toBe(0)
    expect(JSON.parse(set.stdout)).toMatchObject({ name: 'ledger', value: shown })
    const env = { FH_LEDGER: 'redis://:hunter2@other.example' }
    const printed = [
      await rig.fh(['config', 'get', 'ledger', '--debug']),
      await rig.fh(['config', 'list', '--show-origin', '--debug']),
      await rig.fh(['config', 'list', '--show-origin'], { env }),
    ]
    expect(printed[0]?.stdout).toBe(`${shown}\n`)
    expect(printed[1]?.stdout).toContain(`\nledger=${shown}\tprofile default (${rig.configFile})\n`)
    expect(printed[2]?.stdout).toContain('\nledger=redis://[redacted]@other.example:6379\tFH_LEDGER\n')
    expect(JSON.stringify([set, printed])).not.toMatch(/hunter2|alice/)
    expect(JSON.parse(await readFile(rig.configFile, 'utf8'))).toEqual({ profiles: { default: { ledger: url } } })
  })

  test('a ledger that is not the URL of a Redis server is refused by its place, and its password is not printed', async () => {
    const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    const wrong = 'redis://alice:hunter2#x@redis.example'
    const set = await rig.fh(['config', 'set', 'ledger', wrong])
    await writeConfig(rig, JSON.stringify({ profiles: { default: { ledger: wrong } } }))
    const stored = await rig.fh(['stats', '--debug'])
    const given = await rig.fh(['upload', 'photo.jpg', '--debug'], { env: { FH_LEDGER: wrong } })
    const listed = await rig.fh(['config', 'list'])
    const checked = await rig.fh(['doctor'])
    expect([set.code, stored.code, given.code, checked.code]).toEqual([2, 2, 2, 2])
    const reason = 'not the URL of a Redis server: percent-encode a password, # as %23, / as %2F, @ as %40\n'
    expect(set.stderr).toBe(`fh: ledger: ${reason}`)
    expect(stored.stderr).toContain(`ledger of profile default: ${reason}`)
    expect(given.stderr).toContain(`FH_LEDGER: ${reason}`)
    expect(listed.stdout).toContain('\nledger=[redacted]\n')
    expect(checked.stdout).toContain(`fail  config       ledger of profile default: ${reason}`)
    expect(JSON.stringify([set, stored, given, listed, checked])).not.toMatch(/hunter2|alice/)
  })

  test('config list names the other profiles', async () => {
    const rig = await createRig()
    await writeConfig(rig, JSON.stringify({ profiles: { default: {}, work: { retries: 1 }, home: {} } }))
    const { stdout, stderr } = await rig.fh(['config', 'list', '--profile', 'work'])
    expect(stderr).toBe('Other profiles, for --profile NAME: default, home\n')
    expect(stdout).not.toContain('home')
  })

  test('config list shows the origin of each value, and never the key', async () => {
    const rig = await createRig()
    await writeConfig(rig, JSON.stringify({ profiles: { default: { api_key: 'secret-key', retries: 2 } } }))
    const { stdout } = await rig.fh(['config', 'list', '--show-origin', '--timeout', '9s'], {
      env: { FH_BASE_URL: 'http://127.0.0.1:1' },
    })
    expect(stdout.split('\n')).toEqual([
      'base_url=http://127.0.0.1:1\tFH_BASE_URL',
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
    [['set', 'api_key', 'x'], /Use fh login/],
    [['set', 'colour', 'x'], /There is no setting "colour"\n {2}Settings: base_url/],
    [['set', 'timeout', 'soon'], /^fh: timeout: "soon" is not a duration/],
    [['set', 'base_url', 'ftp://x'], /^fh: base_url: The base URL must begin with https/],
    [['set', 'proxy', 'socks5://x'], /^fh: proxy: Only http:\/\/ and https:\/\/ proxies/],
    [['set', 'api_key_file', '/x'], /cannot be stored\n {2}Set FH_API_KEY_FILE/],
    [['set', 'timeout'], /^fh: Missing argument: value\n {2}fh help config set lists its arguments/],
  ])('config %j ends with 2', async (args, message) => {
    const rig = await createRig()
    expect(await rig.fh(['config', ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })

  test.each([
    ['text that is no JSON', '{"profiles":'],
    ['an empty file', ''],
    ['an array', '[]'],
    ['a profile that is a text', '{"profiles":{"default":"x"}}'],
    ['a value that is an object', '{"profiles":{"default":{"retries":{}}}}'],
  ])('a config file with %s is named in the error and not changed', async (_, content) => {
    const rig = await createRig()
    await writeConfig(rig, content)
    for (const args of [['stats'], ['config', 'set', 'retries', '3'], ['logout']]) {
      const { code, stderr } = await rig.fh(args)
      expect(code).toBe(2)
      expect(stderr).toMatch(/^fh: The config file .* is broken: .*\n {2}It was not changed/)
      expect(stderr).toContain(rig.configFile)
    }
    expect(await readFile(rig.configFile, 'utf8')).toBe(content)
  })

  test('a config file nested too deeply to be written again is named in the error and not changed', async () => {
    const rig = await createRig()
    const content = `{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    await writeConfig(rig, content)
    const { code, stderr } = await rig.fh(['config', 'set', 'retries', '3'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is broken: it is nested more than 500 deep\n/)])
    expect(await readFile(rig.configFile, 'utf8')).toBe(content)
  })

  test('FH_CONFIG_DIR chooses the folder of the config file, whose permissions stay', async () => {
    const rig = await createRig()
    await mkdir(join(rig.home, 'elsewhere'), { mode: 0o755 })
    const env = { FH_CONFIG_DIR: join(rig.home, 'elsewhere') }
    expect((await rig.fh(['config', 'set', 'retries', '3'], { env })).code).toBe(0)
    expect((await stat(join(rig.home, 'elsewhere/config.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(rig.home, 'elsewhere'))).mode & 0o777).toBe(0o755)
  })

  test('writing a config file that others can read takes their permission away', async () => {
    const rig = await createRig()
    await writeConfig(rig, '{}')
    expect((await stat(rig.configFile)).mode & 0o777).toBe(0o644)
    await rig.fh(['config', 'set', 'retries', '3'])
    expect((await stat(rig.configFile)).mode & 0o777).toBe(0o600)
    expect((await stat(join(rig.configFile, '..'))).mode & 0o777).toBe(0o700)
  })
})

describe('the key', () => {
  test('the key can come from a file or from the profile’s key_command', async () => {
    const server = await scriptedServer(answer(200, statsBody))
    const rig = await createRig()
    await rig.write('key.txt', 'file-key\n')
    await rig.fh(['stats', '--base-url', server.baseUrl], { env: { FH_API_KEY_FILE: join(rig.folder, 'key.txt') } })
    await rig.fh(['config', 'set', 'key_command', 'echo command-key'])
    await rig.fh(['config', 'set', 'base_url', server.baseUrl])
    await rig.fh(['stats'])
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['file-key', 'command-key'])
  })

  test('a missing key file ends with 4 and names the variable', async () => {
    const rig = await createRig()
    const { code, stderr } = await rig.fh(['stats', '--base-url', 'http://127.0.0.1:1'], {
      env: { FH_API_KEY_FILE: '/nowhere/key' },
    })
    expect(code).toBe(4)
    expect(stderr).toBe(
      'fh: FH_API_KEY_FILE: /nowhere/key cannot be read: there is no such file or folder\n' +
        '  Name a file that holds the key, or unset FH_API_KEY_FILE\n',
    )
  })
})
