import { expect, test } from 'vitest'
import { createEmulator, type Emulator } from '../../../emulator/index.ts'
import { emulatorHandlers } from '../../../emulator/testing/msw.ts'
import { emulated } from './emulated.ts'

type Any = never

/** Each option with the words that refuse it; its code is that of a wrong value, unless another is given. */
type Row = readonly [options: unknown, words: string, code?: string]

const visible = 'The option apiKey of createEmulator takes one or more visible ASCII characters, but got a text'
const ofEmulator: readonly Row[] = [
  [null, 'createEmulator takes an object of options, such as { clock: "auto" }, but got null'],
  [{ apikey: 'k' }, 'createEmulator has no option "apikey"; it has apiKey', 'unknown-option'],
  [{ quotas: { minutes: 5 } }, 'no option "quotas.minutes"; it has burst, minute, hour, day', 'unknown-option'],
  [{ quotas: 5 }, "takes 'none', or an object with units or null for any of burst, minute, hour, day, but got 5"],
  [{ settings: { time_zone: 'x' } }, 'There is no setting "time_zone"; there are'],
  [{ clock: 'fake' }, "clock of createEmulator takes 'system', 'virtual', 'auto' or a clock, but got \"fake\""],
  [{ maxFileSizeBytes: 0 }, 'The setting max_file_size takes'],
  [{ seed: [] }, 'The seed: the seed takes an object', 'invalid-seed'],
  [{ apiKey: 'two words' }, visible],
  [{ siteUrl: 'site.example' }, 'siteUrl of createEmulator takes an http or https URL, but got "site.example"'],
  [{ data: '' }, 'data of createEmulator takes the path of a folder, but got ""'],
  [{ randomSeed: Number.NaN }, 'The option randomSeed of createEmulator takes a number or a text'],
]
const ofListen: readonly Row[] = [
  [4884, 'emulator.listen takes an object such as { port: 4884 }, but got a number'],
  [{ port: '4884' }, 'takes a whole number from 0 to 65535, but got "4884"'],
  [{ hostname: 'x' }, 'emulator.listen has no option "hostname"', 'unknown-option'],
  [{ tls: { cert: 'x' } }, 'The option tls.key of emulator.listen is missing'],
  [{ tls: { cert: Buffer.from('x'), key: 'x' } }, 'takes PEM as text, or the path of a PEM file, but got a Buffer'],
]
const ofHandlers: readonly Row[] = [
  [[{}, { baseURL: 'x' }], 'emulatorHandlers has no option "baseURL"; it has baseUrl', 'unknown-option'],
  [['http://x'], 'but got a text'],
  [[Promise.resolve({})], 'emulatorHandlers got a promise of an emulator: await it first'],
]

const handlers = async ([given, options]: Any[]) => emulatorHandlers(given as Any, options)

test.each([
  ...ofEmulator.map((row) => ['createEmulator', createEmulator, row] as const),
  ...ofListen.map((row) => ['listen', async (given: Any) => (await emulated()).listen(given), row] as const),
  ...ofHandlers.map((row) => ['emulatorHandlers', handlers, row] as const),
])('%s refuses a wrong argument by name: $2', async (_, call, [given, words, code = 'invalid-value']) => {
  const error = await call(given as Any).then(undefined, (thrown: unknown) => thrown)
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
})

const failures: readonly (readonly [code: string, call: (emulator: Emulator) => unknown])[] = [
  ['cannot-listen', (emulator) => emulator.listen({ host: '203.0.113.1' })],
  ['unusable-tls', (emulator) => emulator.listen({ tls: { cert: '/nope', key: '/nope' } })],
  ['unusable-data-folder', () => createEmulator({ data: '/dev/null' })],
  ['invalid-value', ({ control }) => control.settings.update({ titel: 1 } as Any)],
]

test('the emulator’s other failures have codes too', async () => {
  const emulator = await emulated()
  const codeOf = (call: () => unknown) =>
    Promise.resolve()
      .then(call)
      .then(undefined, ({ code }) => code)
  const { port } = await emulator.listen()
  await expect(emulator.listen({ port })).rejects.toMatchObject({
    code: 'port-taken',
    message: `Port ${port} on 127.0.0.1 is already in use: stop the program listening there, or choose another port (0 takes any free one)`,
  })
  for (const [code, call] of failures) expect(await codeOf(() => call(emulator))).toBe(code)
  await emulator.close()
  expect(await codeOf(() => emulator.fetch(new Request('http://x/api/stats')))).toBe('emulator-closed')
})
