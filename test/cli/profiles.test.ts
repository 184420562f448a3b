import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const stats = answer(200, { uploads: 3, albums: 0, total_views: 9, api_requests: 5 })

/** A rig with these profiles, stored by a release that knew no choice among them. */
async function rigWith(profiles: object, choice: object = {}) {
  const rig = await createRig()
  await mkdir(join(rig.configFile, '..'), { recursive: true })
  await writeFile(rig.configFile, JSON.stringify({ profiles, ...choice }), { mode: 0o600 })
  return { ...rig, stored: async () => JSON.parse(await readFile(rig.configFile, 'utf8')) }
}

const three = {
  default: { base_url: 'https://files.example', api_key: 'secret-key' },
  work: { base_url: 'http://127.0.0.1:1', key_command: 'pass show work' },
  'with.all@signs-1': { retries: 1 },
}

test('config profiles lists name, address, where the key comes from, and the default, without the keys', async () => {
  const { fh } = await rigWith(three)
  const { code, stdout, stderr } = await fh(['config', 'profiles'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(
    'default\thttps://files.example\tstored\tdefault\nwork\thttp://127.0.0.1:1\tkey_command\t\nwith.all@signs-1\t-\t-\t\n',
  )
  const json = await fh(['config', 'profiles', '--json'])
  expect(JSON.parse(json.stdout)).toEqual([
    { name: 'default', base_url: 'https://files.example', key: 'stored', default: true },
    { name: 'work', base_url: 'http://127.0.0.1:1', key: 'key_command', default: false },
    { name: 'with.all@signs-1', base_url: null, key: null, default: false },
  ])
})

test('config profiles without a config file prints nothing, and says what to do', async () => {
  const { fh } = await createRig()
  const stderr = 'Profiles: none yet; fh login adds one\n'
  expect(await fh(['config', 'profiles'])).toMatchObject({ code: 0, stdout: '', stderr })
})

test('logout deletes a key whose address cannot be read, and a config file that is a pipe is refused', async () => {
  const { fh, stored, configFile } = await rigWith({ default: { base_url: 'ftp://files.example', api_key: 'ownkey' } })
  expect((await fh(['logout'])).code).toBe(0)
  expect(await stored()).toEqual({ profiles: { default: { base_url: 'ftp://files.example' } } })
  await rm(configFile)
  execFileSync('mkfifo', ['-m', '600', configFile])
  expect(await fh(['stats'])).toMatchObject({ code: 2, stderr: expect.stringContaining('it is not a file') })
})

test('config use makes every command use a profile, until config use default; --profile and FH_PROFILE outrank it', async () => {
  const [own, work] = [await scriptedServer(stats), await scriptedServer(stats)]
  const { fh, stored } = await rigWith({
    default: { base_url: own.baseUrl, api_key: 'ownkey' },
    work: { base_url: work.baseUrl, api_key: 'work-key' },
  })
  const lastKey = async (server: typeof own, args: readonly string[], env = {}) => {
    expect((await fh(args, { env })).code).toBe(0)
    return server.requests.at(-1)?.headers['x-api-key']
  }
  const chosen = await fh(['config', 'use', 'work'])
  expect(chosen).toMatchObject({ code: 0, stdout: '', stderr: `Profile work is now the default: ${work.baseUrl}\n` })
  expect(await lastKey(work, ['stats'])).toBe('work-key')
  expect(await lastKey(own, ['stats', '--profile', 'default'])).toBe('ownkey')
  expect(await lastKey(own, ['stats'], { FH_PROFILE: 'default' })).toBe('ownkey')
  await fh(['config', 'set', 'retries', '2'])
  expect((await fh(['doctor'])).stdout).toMatch(/^ok +config +\S+, profile work$/m)
  expect((await fh(['logout'])).stderr).toBe('Deleted the key of profile work\n')
  expect(await stored()).toEqual({
    profiles: { default: { base_url: own.baseUrl, api_key: 'ownkey' }, work: { base_url: work.baseUrl, retries: '2' } },
    profile: 'work',
  })
  expect(await fh(['stats'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(
      /^fh: No API key is set in profile work \(named by fh config use\)\n {2}Run fh login, or/,
    ),
  })
  expect((await fh(['config', 'use', 'default'])).code).toBe(0)
  expect(await lastKey(own, ['stats'])).toBe('ownkey')
  expect(await stored()).not.toHaveProperty('profile')
})

test('config use of an unknown profile ends with 2 and changes nothing', async () => {
  const { fh, stored } = await rigWith(three)
  const stderr = 'fh: There is no profile "zzzzzz"\n  Profiles: default, work, with.all@signs-1; fh login adds one\n'
  expect(await fh(['config', 'use', 'zzzzzz'])).toMatchObject({ code: 2, stderr })
  expect(await stored()).toEqual({ profiles: three })
})

test('a profile that is not stored is reported with what names it', async () => {
  const { fh } = await rigWith(three)
  expect((await fh(['stats', '--profile', 'wrok'])).stderr).toMatch(
    /profile wrok \(named by --profile\)\n {2}Profiles: default, work, .*; fh login --profile wrok adds one\n$/,
  )
  expect((await fh(['stats'], { env: { FH_PROFILE: 'no' } })).stderr).toContain('profile no (named by FH_PROFILE)\n')
})

test('a chosen profile that is not stored is not replaced by another: commands say so', async () => {
  const { fh } = await rigWith(three, { profile: 'gone' })
  expect(await fh(['stats'])).toMatchObject({
    code: 4,
    stderr:
      'fh: No base URL and no API key are set in profile gone (named by fh config use)\n' +
      '  Profiles: default, work, with.all@signs-1; fh login adds one\n',
  })
})

test('what a .env or a bunfig.toml of the working folder says changes nothing', async () => {
  const rig = await createRig()
  await rig.write('.env', 'FH_BASE_URL=http://127.0.0.1:1\nFH_API_KEY=planted\n')
  await rig.write('bunfig.toml', 'preload = ["./planted.js"]\n')
  await rig.write('planted.js', 'console.error("planted")\n')
  expect((await rig.program(['stats'])).stderr).toMatch(/^fh: No base URL and no API key are set\n/)
})
