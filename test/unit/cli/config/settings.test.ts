import { expect, test } from 'vitest'
import type { Profile } from '../../../../src/cli/config/config-store.ts'
import { resolveApiKey } from '../../../../src/cli/config/credentials.ts'
import { type GlobalFlags, settingDefinitions } from '../../../../src/cli/config/global-flags.ts'
import { defaults, limitsOf, parseSetting, resolveSettings } from '../../../../src/cli/config/settings.ts'

interface Sources {
  readonly flags?: GlobalFlags
  readonly env?: Readonly<Record<string, string>>
  readonly profile?: Profile
  readonly onTerminal?: boolean
}

function resolved({ flags = {}, env = {}, profile = {}, onTerminal = false }: Sources) {
  const config = { profiles: { default: profile }, profile: undefined }
  return resolveSettings(flags, env, config, onTerminal).settings
}

test('an option of a command does not set the setting of the same name that has no flag', () => {
  const ofCommand = { apiKey: 'of the command' } as GlobalFlags
  expect(resolved({ flags: ofCommand, env: { FH_API_KEY: 'k' } }).api_key).toMatchObject({ value: 'k' })
})

test('the longest wait for quota is unlimited on a terminal, and an hour elsewhere', () => {
  expect([true, false].map((terminal) => resolved({ onTerminal: terminal }).max_wait?.value)).toEqual([
    'unlimited',
    '1h',
  ])
})

test('limitsOf returns the limits that the user names, and not the default ones', () => {
  expect(limitsOf(resolved({}))).toEqual({})
  expect(limitsOf(resolved({ env: { FH_LIMITS: 'day=20000' } }))).toEqual({ day: 20_000 })
})

test.each([
  ['timeout', '0'],
  ['retries', '-1'],
  ['proxy', 'socks5://proxy.example'],
] as const)('parseSetting refuses %s with the value %j', (name, value) => {
  expect(() => parseSetting(name, value, name)).toThrow()
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
    'the key_command of profile default: the API key cannot be read: Command failed: exit 3',
  )
})

test('a key that does not fit into a header is refused, and the error does not show it', async () => {
  await expect(resolveApiKey(resolved({ env: { FH_API_KEY: 'se cret' } }))).rejects.toThrow(
    /^(?!.*se cret).*FH_API_KEY.*no spaces/,
  )
})

test('the help of a setting names its default', () => {
  const [timeout, retries] = [settingDefinitions.timeout, settingDefinitions.retries].map(({ flag }) => flag.help)
  expect(timeout).toContain(`(${defaults.timeout})`)
  expect(retries).toContain(`(${defaults.retries})`)
  expect(settingDefinitions.max_file_size.flag.help).toContain(`(${defaults.max_file_size})`)
})
