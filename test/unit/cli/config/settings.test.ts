import { expect, test } from 'vitest'
import type { Profile } from '../../../../src/cli/config/config-store.ts'
import { resolveApiKey } from '../../../../src/cli/config/credentials.ts'
import { type GlobalFlags, settingDefinitions } from '../../../../src/cli/config/global-flags.ts'
import { limitsOf, parseSetting, resolveSettings, settingValues } from '../../../../src/cli/config/settings.ts'

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

test('a profile name with a space or a slash is refused, and the error names the flag or the variable', () => {
  expect(() => resolved({ flags: { profile: 'a b' } })).toThrow(/^--profile: "a b" is not a valid profile name/)
  expect(() => resolved({ env: { FH_PROFILE: '../x' } })).toThrow(/^FH_PROFILE: "..\/x" is not a valid profile name/)
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
