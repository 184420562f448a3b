import { expect, test } from 'vitest'
import { createEmulator } from '../../../emulator/index.ts'
import { emulatorHandlers } from '../../../emulator/testing/msw.ts'
import { emulated } from './emulated.ts'

type Any = never
const create = (options: unknown) => () => createEmulator(options as Any)
const listen = (options: unknown) => async () => (await emulated()).listen(options as Any)

test.each<readonly [string, () => unknown, string, string]>([
  [
    'createEmulator(null)',
    create(null),
    'invalid-value',
    'createEmulator takes an object of options, such as { clock: "auto" }, but got null',
  ],
  ['createEmulator(4884)', create(4884), 'invalid-value', 'but got a number'],
  [
    'a misspelt option',
    create({ apikey: 'k' }),
    'unknown-option',
    'createEmulator has no option "apikey". Did you mean "apiKey"?',
  ],
  ['a port', create({ port: 4884 }), 'unknown-option', 'emulator.listen({ port }) takes it'],
  [
    'a misspelt window',
    create({ quotas: { minutes: 5 } }),
    'unknown-option',
    'no option "quotas.minutes". Did you mean "quotas.minute"?',
  ],
  [
    'quotas as a number',
    create({ quotas: 5 }),
    'invalid-value',
    "takes 'none', or an object with units or null for any of burst, minute, hour, day, but got 5",
  ],
  ['a misspelt setting', create({ settings: { time_zone: 'x' } }), 'invalid-value', 'did you mean timezone?'],
  [
    'settings as a list',
    create({ settings: [] }),
    'invalid-value',
    'takes an object of settings and their values, but got a list',
  ],
  ['a clock of another kind', create({ clock: 'fake' }), 'invalid-value', 'clock must be'],
  ['a size that is none', create({ maxFileSizeBytes: 'much' }), 'invalid-value', 'max_file_size'],
  ['a seed that is a list', create({ seed: [] }), 'invalid-seed', 'The seed: the seed takes an object'],
  ['a seed with a wrong place', create({ seed: { accounts: 5 } }), 'invalid-seed', '/accounts'],
  [
    'listen(4884)',
    listen(4884),
    'invalid-value',
    'emulator.listen takes an object such as { port: 4884 }, but got a number',
  ],
  ['a port as text', listen({ port: '4884' }), 'invalid-value', 'takes a whole number from 0 to 65535, but got "4884"'],
  ['a port that is none', listen({ port: 70_000 }), 'invalid-value', 'but got 70000'],
  ['a misspelt host', listen({ hostname: 'x' }), 'unknown-option', 'emulator.listen has no option "hostname"'],
  [
    'a certificate without its key',
    listen({ tls: { cert: 'x' } }),
    'invalid-value',
    'The option tls.key of emulator.listen is missing',
  ],
  [
    'a certificate as a Buffer',
    listen({ tls: { cert: Buffer.from('x'), key: 'x' } }),
    'invalid-value',
    'takes PEM as text, or the path of a PEM file, but got a Buffer',
  ],
  [
    'handlers with a misspelt option',
    async () => emulatorHandlers({}, { baseURL: 'x' } as Any),
    'unknown-option',
    'emulatorHandlers has no option "baseURL". Did you mean "baseUrl"?',
  ],
  [
    'handlers of an emulator with a misspelt option',
    async () => emulatorHandlers({ clok: 'auto' } as Any),
    'unknown-option',
    'Did you mean "clock"?',
  ],
  ['handlers of an address', async () => emulatorHandlers('http://x' as Any), 'invalid-value', 'but got a text'],
])('%s is refused by name', async (_, call, code, words) => {
  const error = await Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
})

test('the emulator’s other failures have codes too', async () => {
  const emulator = await emulated()
  const { port } = await emulator.listen()
  const codeOf = (call: () => unknown) =>
    Promise.resolve()
      .then(call)
      .then(undefined, ({ code }) => code)
  expect(await codeOf(() => emulator.listen({ port }))).toBe('port-taken')
  expect(await codeOf(() => emulator.listen({ host: '203.0.113.1' }))).toBe('cannot-listen')
  expect(await codeOf(() => emulator.listen({ tls: { cert: '/nope', key: '/nope' } }))).toBe('unusable-tls')
  expect(await codeOf(() => createEmulator({ data: '/dev/null' }))).toBe('unusable-data-folder')
  expect(await codeOf(() => emulator.control.accounts.get(99))).toBe('no-such-account')
  expect(await codeOf(() => emulator.control.accounts.create({ api_key: emulator.apiKey }))).toBe('taken')
  expect(await codeOf(() => emulator.control.requests.verify({ path: '/none' }))).toBe('not-as-expected')
  expect(await codeOf(() => emulator.control.state.restore({} as Any))).toBe('invalid-snapshot')
  expect(await codeOf(() => emulator.control.settings.update({ titel: 1 } as Any))).toBe('invalid-value')
  expect(await codeOf(() => emulator.control.faults.set([{ action: { type: 'nope' } }] as Any))).toBe('invalid-value')
  await emulator.close()
  expect(await codeOf(() => emulator.fetch(new Request('http://x/api/stats')))).toBe('emulator-closed')
})
