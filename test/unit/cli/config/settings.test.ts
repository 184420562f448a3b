import { expect, test } from 'vitest'
import type { Config, Profile } from '../../../../src/cli/config/config-store.ts'
import { resolveApiKey } from '../../../../src/cli/config/credentials.ts'
import type { GlobalFlags } from '../../../../src/cli/config/global-flags.ts'
import { settingDefinitions } from '../../../../src/cli/config/setting-definitions.ts'
import {
  limitsOf,
  parseSetting,
  readSetting,
  resolveSettings,
  settingValues,
} from '../../../../src/cli/config/settings.ts'

interface Sources {
  readonly flags?: GlobalFlags
  readonly env?: Readonly<Record<string, string>>
  readonly profile?: Profile
  readonly onTerminal?: boolean
}

function resolved({ flags = {}, env = {}, profile = {}, onTerminal = false }: Sources) {
  const config = { profiles: { default: profile }, profile: undefined }
  return resolveSettings({ flags, env, config, onTerminal }).settings
}

function profileInUse(flags: GlobalFlags, env: Readonly<Record<string, string>>, chosen?: string) {
  const config: Config = { profiles: {}, profile: chosen }
  return resolveSettings({ flags, env, config, onTerminal: false }).profile
}

const [flags, env] = [{ baseUrl: 'https://flag.example' }, { FH_BASE_URL: 'https://env.example' }]
const profile = { base_url: 'https://profile.example' }

test.each<[string, Sources, string | undefined, string | undefined]>([
  ['a flag', { flags, env, profile }, 'https://flag.example', '--base-url'],
  ['the environment', { env, profile }, 'https://env.example', 'FH_BASE_URL'],
  ['the profile', { env: { FH_BASE_URL: '' }, profile }, 'https://profile.example', 'profile default'],
  ['nothing', {}, undefined, undefined],
])('a setting is that of the first of flag, variable that is not empty, and profile: %s', (_, sources, ...own) => {
  const { base_url } = resolved(sources)
  expect([base_url?.value, base_url?.origin]).toEqual(own)
})

test('an option of a command does not set the setting of the same name that has no flag', () => {
  const ofCommand = { apiKey: 'of the command' } as GlobalFlags
  expect(resolved({ flags: ofCommand, env: { FH_API_KEY: 'k' } }).api_key).toMatchObject({ value: 'k' })
})

test('the longest wait for quota is unlimited on a terminal, and an hour elsewhere; --no-wait outranks --max-wait', () => {
  expect([true, false].map((terminal) => resolved({ onTerminal: terminal }).max_wait?.value)).toEqual([
    'unlimited',
    '1h',
  ])
  const { max_wait } = resolved({ flags: { wait: false, maxWait: '5m' } })
  expect(max_wait).toEqual({ value: '0s', source: 'flag', origin: '--no-wait' })
})

test('limitsOf returns the limits that the user names, and not the default ones', () => {
  expect(limitsOf(resolved({}))).toEqual({})
  expect(limitsOf(resolved({ env: { FH_LIMITS: 'day=20000' } }))).toEqual({ day: 20_000 })
})

test('the error of a value that cannot be parsed names its place: the flag, or the profile', () => {
  expect(() => readSetting(resolved({ profile: { max_wait: 'long' } }), 'max_wait')).toThrow(
    /^max_wait of profile default: "long" is not a/,
  )
  expect(() => readSetting(resolved({ flags: { maxWait: 'long' } }), 'max_wait')).toThrow(
    /^--max-wait: "long" is not a duration/,
  )
})

test.each([
  ['base_url', 'files example'],
  ['base_url', 'ftp://files.example'],
  ['base_url', 'https://files.example/i/a1B2c3D4e5'],
  ['timeout', '0'],
  ['retries', '-1'],
  ['proxy', ''],
  ['proxy', 'socks5://proxy.example'],
] as const)('parseSetting refuses %s with the value %j', (name, value) => {
  expect(() => parseSetting(name, value, name)).toThrow()
})

test.each<[Parameters<typeof profileInUse>, object]>([
  [[{ profile: 'a' }, { FH_PROFILE: 'b' }, 'work'], { name: 'a', place: '--profile', byDefault: 'work' }],
  [[{}, { FH_PROFILE: 'b' }, 'work'], { name: 'b', place: 'FH_PROFILE', byDefault: 'work', flag: ' --profile b' }],
  [[{}, { FH_PROFILE: '' }, 'work'], { name: 'work', place: 'fh config use', flag: '' }],
  [[{}, {}], { name: 'default', place: undefined, flag: '' }],
  [[{ profile: 'work' }, {}, 'work'], { name: 'work', flag: '' }],
  [[{ profile: 'default' }, {}, 'work'], { name: 'default', flag: ' --profile default' }],
])(
  '--profile, FH_PROFILE and a chosen profile outrank each other; hints name it only where they must: %j',
  (given, used) => {
    expect(profileInUse(...given)).toMatchObject(used)
  },
)

test('a profile name with a space or a slash is refused, and the error names the flag or the variable', () => {
  expect(() => profileInUse({ profile: 'a b' }, {})).toThrow(/^--profile: "a b" is not a valid profile name/)
  expect(() => profileInUse({}, { FH_PROFILE: '../x' })).toThrow(/^FH_PROFILE: "..\/x" is not a valid profile name/)
})

test.each([
  ['FH_API_KEY rather than the file', { env: { FH_API_KEY: 'key', FH_API_KEY_FILE: '/nowhere' } }],
  ['the stored one rather than a command', { profile: { api_key: 'key', key_command: 'echo other' } }],
  ['the output of key_command, without its line break', { profile: { key_command: 'echo key' } }],
])('the key is %s', async (_, sources) => {
  expect(await resolveApiKey(resolved(sources))).toMatchObject({ apiKey: 'key' })
})

test('the error of a key_command that fails names the command', async () => {
  await expect(resolveApiKey(resolved({ profile: { key_command: 'exit 3' } }))).rejects.toThrow(
    'key_command failed: exit 3',
  )
})

test('a key that does not fit into a header is refused, and the error does not show it', async () => {
  await expect(resolveApiKey(resolved({ env: { FH_API_KEY: 'se cret' } }))).rejects.toThrow(
    /^(?!.*se cret).*FH_API_KEY.*no spaces/,
  )
})

test('the help of a setting names its default', () => {
  const [timeout, retries] = [settingDefinitions.timeout, settingDefinitions.retries].map(({ flag }) => flag.help)
  expect(timeout).toContain(`(${settingValues.timeout.default()})`)
  expect(retries).toContain(`(${settingValues.retries.default()})`)
  expect(settingDefinitions.max_file_size.flag.help).toContain(`(${settingValues.max_file_size.default()})`)
})
