import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'

/** A service, and a place without variables. */
async function keyless() {
  const { emulator, baseUrl } = await emulatedRig()
  const rig = await createRig({ env: { FH_LIMITS: 'none', FH_BASE_URL: baseUrl } })
  await rig.write('a.jpg', jpegBytes(500))
  return { ...rig, emulator, baseUrl, asked: () => emulator.control.requests.list().requests.length }
}

type Keyless = Awaited<ReturnType<typeof keyless>>

/** Each way to give a key, and how a refusal calls it. */
const ways: readonly (readonly [whose: string, give: (rig: Keyless, key: string) => unknown])[] = [
  ['from FH_API_KEY', (_, key) => ({ FH_API_KEY: key })],
  [
    'from FH_API_KEY_FILE=%',
    async ({ write, folder }, key) => {
      await write('key.txt', `${key}\n`)
      return { FH_API_KEY_FILE: join(folder, 'key.txt') }
    },
  ],
  [
    'from the key_command of profile default',
    async ({ fh, write, baseUrl }, key) => {
      await write('key.txt', key)
      await fh(['config', 'set', 'base_url', baseUrl])
      await fh(['config', 'set', 'key_command', 'cat key.txt'])
    },
  ],
  [
    'from profile default',
    async ({ fh, emulator, baseUrl }, key) => {
      await fh(['login', '--with-key'], { stdin: emulator.apiKey })
      if (key === 'wrong') emulator.control.accounts.regenerateKey(1)
      void baseUrl
    },
  ],
]

test.each(ways)('a key that the service refuses is called by its source, and its page is named: %s', async (...way) => {
  const [whose, give] = way
  const rig = await keyless()
  const env = (await give(rig, 'wrong')) as Record<string, string>
  const called = whose.replace('%', join(rig.folder, 'key.txt'))
  const hint = `The service does not know this key (${called}). Make one: ${rig.baseUrl}/cont/cheie-api`
  for (const args of [['stats'], ['upload', 'a.jpg'], ['delete', '--yes', 'x'], ['api', 'stats'], ['doctor']]) {
    const { code, stdout, stderr } = await rig.fh(args, { env })
    expect([code, stdout + stderr]).toEqual([4, expect.stringContaining(hint)])
  }
})

test('login calls a refused key by its source, and a suspended account by its page', async () => {
  const { fh, emulator, baseUrl } = await keyless()
  const refused = await fh(['login', '--with-key'], { stdin: 'wrong' })
  const page = `${baseUrl}/cont/cheie-api`
  expect([refused.code, refused.stderr]).toEqual([
    4,
    expect.stringContaining(`The service does not know this key (from standard input). Make one: ${page}`),
  ])
  emulator.control.accounts.update(1, { suspended: true })
  const { code, stderr } = await fh(['stats', '--json'], { env: { FH_API_KEY: emulator.apiKey } })
  const hint = `${page} shows suspensions and the allowed addresses of this key (from FH_API_KEY)`
  expect([code, JSON.parse(stderr).hint]).toEqual([7, hint])
})

test.each(['stats', 'upload a.jpg', 'quota', 'doctor', 'login --with-key'])(
  'fh %s refuses a key variable that is set but empty by its name, although a key is stored',
  async (words) => {
    const { fh, emulator, asked } = await keyless()
    await fh(['login', '--with-key'], { stdin: emulator.apiKey })
    const before = asked()
    for (const name of ['FH_API_KEY', 'FH_API_KEY_FILE']) {
      for (const value of ['', ' ', '""']) {
        const { code, stdout, stderr } = await fh(words.split(' '), { env: { [name]: value }, stdin: 'other-key' })
        expect([code, stdout + stderr]).toEqual([4, expect.stringContaining(`${name} is set, but empty`)])
      }
    }
    expect(asked()).toBe(before)
  },
)

test('other variables that are empty count as unset, and an empty FH_LEDGER means no ledger', async () => {
  const { fh, emulator } = await keyless()
  await fh(['login', '--with-key'], { stdin: emulator.apiKey })
  await fh(['config', 'set', 'ledger', 'redis://127.0.0.1:1'])
  const names = ['FH_BASE_URL', 'FH_PROFILE', 'FH_LIMITS', 'FH_LEDGER', 'FH_MAX_FILE_SIZE', 'HTTP_PROXY', 'HTTPS_PROXY']
  const env = Object.fromEntries(names.flatMap((name) => [[name, name === 'HTTP_PROXY' ? '""' : '']]))
  expect(await fh(['stats', '--json'], { env })).toMatchObject({ code: 0, stderr: '' })
})

test('a command that fh emulate runs has the key of the emulator, whichever key variables are empty', async () => {
  const { start } = await createRig()
  const child = ['--', process.execPath, '-e', 'console.log(process.env.FH_API_KEY, process.env.FH_API_KEY_FILE)']
  const env = { FH_API_KEY: '', FH_API_KEY_FILE: '' }
  const { code, stdout } = await start(['emulate', '--api-key', 'k1', ...child], { env, stdin: '' }).ended
  expect([code, stdout]).toEqual([0, 'k1 undefined\n'])
})

test.each(['"', "'"])(
  'a key, an address and a setting in %s, as in the env files of Docker, are read without them',
  async (quote) => {
    const quoted = (text: string) => `${quote}${text}${quote}`
    for (const [, give] of ways) {
      const rig = await keyless()
      const key = give === ways[3]?.[1] ? rig.emulator.apiKey : quoted(rig.emulator.apiKey)
      const given = (await give(rig, key)) as Record<string, string>
      const env = {
        ...given,
        FH_BASE_URL: quoted(rig.baseUrl),
        FH_LIMITS: quoted('none'),
        FH_PROFILE: quoted('default'),
      }
      expect(await rig.fh(['stats', '--json'], { env })).toMatchObject({ code: 0, stderr: '' })
      expect((await rig.fh(['stats', '--base-url', quoted(rig.baseUrl)], { env: given })).code).toBe(0)
    }
    const { fh, emulator } = await keyless()
    expect((await fh(['login', '--with-key'], { stdin: quoted(emulator.apiKey) })).code).toBe(0)
  },
)
