import { describe, expect, test } from 'vitest'
import { resolveApiKey } from '../../../../src/cli/config/api-key.ts'
import { configFolder } from '../../../../src/cli/config/config-store.ts'
import {
  checkSetting,
  limitsOf,
  profileInUse,
  readSetting,
  resolveSettings,
  type SettingSources,
} from '../../../../src/cli/config/settings.ts'

const nothing: SettingSources = { flags: {}, env: {}, profile: {}, profileName: 'default', terminal: false }

describe('resolveSettings', () => {
  const everywhere: SettingSources = {
    ...nothing,
    flags: { baseUrl: 'https://flag.example' },
    env: { FH_BASE_URL: 'https://env.example' },
    profile: { base_url: 'https://profile.example' },
    profileName: 'work',
  }

  test('a flag outranks the environment, the profile and the default', () => {
    expect(resolveSettings(everywhere).base_url).toEqual({
      value: 'https://flag.example',
      origin: { type: 'flag', name: '--base-url' },
    })
  })

  test('an option of a command does not set the setting of the same name that has no flag', () => {
    const flags = { apiKey: 'of the command' } as SettingSources['flags']
    expect(resolveSettings({ ...nothing, flags, env: { FH_API_KEY: 'k' } }).api_key).toMatchObject({ value: 'k' })
  })

  test('the environment outranks the profile', () => {
    expect(resolveSettings({ ...everywhere, flags: {} }).base_url).toEqual({
      value: 'https://env.example',
      origin: { type: 'env', name: 'FH_BASE_URL' },
    })
  })

  test('an empty variable counts as unset', () => {
    const { base_url } = resolveSettings({ ...everywhere, flags: {}, env: { FH_BASE_URL: '' } })
    expect(base_url).toEqual({ value: 'https://profile.example', origin: { type: 'profile', name: 'work' } })
  })

  test('the longest wait for quota is unlimited on a terminal, and an hour elsewhere', () => {
    expect(resolveSettings({ ...nothing, terminal: true }).max_wait?.value).toBe('unlimited')
    expect(resolveSettings(nothing).max_wait?.value).toBe('1h')
  })

  test('--no-wait outranks --max-wait', () => {
    const { max_wait } = resolveSettings({ ...nothing, flags: { wait: false, maxWait: '5m' } })
    expect(max_wait).toEqual({ value: '0s', origin: { type: 'flag', name: '--no-wait' } })
  })

  test('a setting without a value and without a default is absent', () => {
    expect(resolveSettings(nothing)).not.toHaveProperty('base_url')
    expect(resolveSettings(nothing)).not.toHaveProperty('api_key')
  })
})

test('limitsOf returns the limits that the user names, and not the default ones', () => {
  expect(limitsOf(resolveSettings(nothing))).toEqual({})
  expect(limitsOf(resolveSettings({ ...nothing, env: { FH_LIMITS: 'day=20000' } }))).toEqual({ day: 20_000 })
})

test('the error of a value that cannot be parsed names its place: the flag, or the profile', () => {
  const profile = resolveSettings({ ...nothing, profile: { max_wait: 'long' } })
  expect(() => readSetting(profile, 'max_wait')).toThrow(/^max_wait of profile default: "long" is not a/)
  const flag = resolveSettings({ ...nothing, flags: { maxWait: 'long' } })
  expect(() => readSetting(flag, 'max_wait')).toThrow(/^--max-wait: "long" is not a duration/)
})

test.each([
  ['base_url', 'files example'],
  ['base_url', 'ftp://files.example'],
  ['base_url', 'https://files.example/i/a1B2c3D4e5'],
  ['timeout', '0'],
  ['retries', '-1'],
  ['proxy', ''],
  ['proxy', 'socks5://proxy.example'],
] as const)('checkSetting refuses %s with the value %j', (name, value) => {
  expect(() => checkSetting(name, value)).toThrow()
})

test('--profile outranks FH_PROFILE, which outranks the name default', () => {
  expect(profileInUse({ profile: 'a' }, { FH_PROFILE: 'b' })).toMatchObject({ name: 'a', place: '--profile' })
  expect(profileInUse({}, { FH_PROFILE: 'b' })).toMatchObject({ name: 'b', place: 'FH_PROFILE' })
  expect(profileInUse({}, { FH_PROFILE: '' })).toMatchObject({ name: 'default', place: undefined })
})

test('a chosen profile takes the place of the name default, and --profile and FH_PROFILE outrank it', () => {
  expect(profileInUse({}, {}, 'work')).toMatchObject({ name: 'work', place: 'fh config use', flag: '' })
  expect(profileInUse({ profile: 'a' }, {}, 'work')).toMatchObject({ name: 'a', byDefault: 'work' })
  expect(profileInUse({}, { FH_PROFILE: 'b' }, 'work')).toMatchObject({ name: 'b', byDefault: 'work' })
})

test('the commands in hints have --profile only where they would use another profile without it', () => {
  expect(profileInUse({}, { FH_PROFILE: 'work' }).flag).toBe(' --profile work')
  expect(profileInUse({ profile: 'work' }, {}, 'work').flag).toBe('')
  expect(profileInUse({ profile: 'default' }, {}, 'work').flag).toBe(' --profile default')
})

test('a profile name with a space or a slash is refused, and the error names the flag or the variable', () => {
  expect(() => profileInUse({ profile: 'a b' }, {})).toThrow(/^--profile: "a b" is not a valid profile name/)
  expect(() => profileInUse({}, { FH_PROFILE: '../x' })).toThrow(/^FH_PROFILE: "..\/x" is not a valid profile name/)
})

test('FH_API_KEY outranks FH_API_KEY_FILE', async () => {
  const settings = resolveSettings({ ...nothing, env: { FH_API_KEY: 'from-env', FH_API_KEY_FILE: '/nowhere' } })
  expect(await resolveApiKey(settings)).toBe('from-env')
})

test('a stored key outranks the profile’s command', async () => {
  const settings = resolveSettings({ ...nothing, profile: { api_key: 'stored', key_command: 'echo other' } })
  expect(await resolveApiKey(settings)).toBe('stored')
})

test('the output of key_command is the key, without its line break', async () => {
  const settings = resolveSettings({ ...nothing, profile: { key_command: 'echo from-command' } })
  expect(await resolveApiKey(settings)).toBe('from-command')
})

test('the error of a key_command that fails names the command', async () => {
  const settings = resolveSettings({ ...nothing, profile: { key_command: 'exit 3' } })
  await expect(resolveApiKey(settings)).rejects.toThrow('key_command failed: exit 3')
})

test('a key that does not fit into a header is refused, and the error does not show it', async () => {
  const settings = resolveSettings({ ...nothing, env: { FH_API_KEY: 'se cret' } })
  await expect(resolveApiKey(settings)).rejects.toThrow(/^(?!.*se cret).*FH_API_KEY.*no spaces/)
})

test.each([
  ['FH_CONFIG_DIR', { FH_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x' }, 'linux', '/c'],
  ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/x' }, 'linux', '/x/fh'],
  ['~/.config if XDG_CONFIG_HOME is relative', { XDG_CONFIG_HOME: 'x' }, 'linux', '/home/u/.config/fh'],
  ['~/.config on macOS too', {}, 'darwin', '/home/u/.config/fh'],
] as const)('the config folder is found by %s', (_, env, platform, folder) => {
  expect(configFolder(env, platform, '/home/u')).toBe(folder)
})
