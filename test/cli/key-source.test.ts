import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly profile?: object
}

/** Each source of a key, as a refusal calls it. The key is in key.txt too. */
const sources: Readonly<Record<string, (key: string) => Given>> = {
  'from FH_API_KEY': (key) => ({ env: { FH_API_KEY: key } }),
  'from FH_API_KEY_FILE=key.txt': () => ({ env: { FH_API_KEY_FILE: 'key.txt' } }),
  'from the key_command of profile default': () => ({ profile: { key_command: 'cat key.txt' } }),
  'from profile default': (key) => ({ profile: { api_key: key } }),
}
const storedKey = 'from profile default'

/** A service with the key `test-key`, and a place that has a key from one source. */
async function keyed(source: string, key = 'test-key') {
  const { emulator, baseUrl } = await emulatedRig({ apiKey: 'test-key' })
  const { env = {}, profile } = sources[source]?.(key) ?? {}
  const rig = await createRig({ env: { FH_LIMITS: 'none', FH_BASE_URL: baseUrl, ...env } })
  await rig.write('a.jpg', jpegBytes(500))
  await rig.write('key.txt', `${key}\n`)
  await mkdir(dirname(rig.configFile), { recursive: true })
  await writeFile(rig.configFile, JSON.stringify({ profiles: { default: { base_url: baseUrl, ...profile } } }))
  return { ...rig, emulator, baseUrl, asked: () => emulator.control.requests.list().requests.length }
}

test.each(Object.keys(sources))(
  'a key that the service refuses is called by its source, and its page is named: %s',
  async (source) => {
    const { fh, baseUrl } = await keyed(source, 'wrong')
    const hint = `The service does not know this key (${source}). Make one: ${baseUrl}/cont/cheie-api`
    for (const args of [['stats'], ['upload', 'a.jpg'], ['delete', '--yes', 'x'], ['api', 'stats'], ['doctor']]) {
      const { code, stdout, stderr } = await fh(args)
      expect([code, stdout + stderr]).toEqual([4, expect.stringContaining(hint)])
    }
  },
)

test('login calls a refused key by its source, and a suspended account by its page', async () => {
  const { fh, emulator, baseUrl } = await keyed(storedKey)
  const page = `${baseUrl}/cont/cheie-api`
  const stderr = expect.stringContaining(`The service does not know this key (from standard input). Make one: ${page}`)
  expect(await fh(['login', '--with-key'], { stdin: 'wrong' })).toMatchObject({ code: 4, stderr })
  emulator.control.accounts.update(1, { suspended: true })
  const suspended = await fh(['stats', '--json'])
  const hint = `${page} shows suspensions and the allowed addresses of this key (from profile default)`
  expect([suspended.code, JSON.parse(suspended.stderr).hint]).toEqual([7, hint])
})

test.each(['stats', 'upload a.jpg', 'quota', 'doctor', 'login --with-key'])(
  'fh %s refuses a key variable that is set but empty by its name, although a key is stored',
  async (words) => {
    const { fh, asked } = await keyed(storedKey)
    for (const name of ['FH_API_KEY', 'FH_API_KEY_FILE']) {
      for (const value of ['', ' ', '""']) {
        const { code, stdout, stderr } = await fh(words.split(' '), { env: { [name]: value }, stdin: 'other-key' })
        expect([code, stdout + stderr]).toEqual([4, expect.stringContaining(`${name} is set, but empty`)])
      }
    }
    expect(asked()).toBe(0)
  },
)

test('other variables that are empty count as unset, and an empty FH_LEDGER means no ledger', async () => {
  const { fh } = await keyed(storedKey)
  await fh(['config', 'set', 'ledger', 'redis://127.0.0.1:1'])
  const names = ['FH_BASE_URL', 'FH_PROFILE', 'FH_LIMITS', 'FH_LEDGER', 'FH_MAX_FILE_SIZE', 'HTTPS_PROXY']
  const env = { ...Object.fromEntries(names.map((name) => [name, ''])), HTTP_PROXY: '""' }
  expect(await fh(['stats', '--json'], { env })).toMatchObject({ code: 0, stderr: '' })
})

test('a command that fh emulate runs has the key of the emulator, whichever key variables are empty', async () => {
  const { start } = await createRig()
  const child = ['--', process.execPath, '-e', 'console.log(process.env.FH_API_KEY, process.env.FH_API_KEY_FILE)']
  const env = { FH_API_KEY: '', FH_API_KEY_FILE: '' }
  const { code, stdout } = await start(['emulate', '--api-key', 'k1', ...child], { env, stdin: '' }).ended
  expect([code, stdout]).toEqual([0, 'k1 undefined\n'])
})

test.each(Object.keys(sources))(
  'quotes, as the env files of Docker keep them, are no part of a key, an address and a setting: %s',
  async (source) => {
    for (const quote of ['"', "'"]) {
      const quoted = (text: string) => `${quote}${text}${quote}`
      const { fh, baseUrl } = await keyed(source, quoted('test-key'))
      const env = { FH_BASE_URL: quoted(baseUrl), FH_LIMITS: quoted('none'), FH_PROFILE: quoted('default') }
      expect(await fh(['stats', '--json'], { env })).toMatchObject({ code: 0, stderr: '' })
      expect((await fh(['stats', '--base-url', quoted(baseUrl)])).code).toBe(0)
    }
  },
)

test('a key in quotes on standard input logs in', async () => {
  const { fh } = await keyed('')
  expect((await fh(['login', '--with-key'], { stdin: '"test-key"' })).code).toBe(0)
})
