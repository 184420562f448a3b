import { expect, onTestFinished, test } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../emulator/index.ts'
import {
  type ClientOptions,
  createClient,
  fetchTransport,
  nodeTransport,
  type Transport,
  type UploadOptions,
  undiciTransport,
} from '../../src/index.ts'

const none = undefined

/** Options of these names, each undefined; under exactOptionalPropertyTypes they fit only if the types take undefined too. */
const unset = <Options>(names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, none])) as { readonly [Name in keyof Options]?: undefined }

const emulatorOptions = unset<EmulatorOptions>(
  'apiKey quotas clock onStandstill maxFileSizeBytes data siteUrl dialect settings seed randomSeed controlToken',
)
const uploadOptions = unset<UploadOptions>(
  'signal onProgress onBytes onState onEvent maxFileSizeBytes anyType onIntent knownSlugs tellApart',
)
const clientOptions = unset<Omit<ClientOptions, 'baseUrl' | 'apiKey'>>(
  'transport clock userAgent onEvent allowInsecureHttp uploadBytesPerSecond',
)
const nested: Partial<ClientOptions> = {
  pacing: { limits: none, ledger: none, folder: none },
  retry: { retries: none, maxWaitMs: none },
}

const transports: Readonly<Record<string, (fetch: typeof globalThis.fetch) => Transport>> = {
  fetch: (fetch) => fetchTransport(fetch),
  node: () => nodeTransport({ idleTimeoutMs: none, ca: none }),
  undici: () => undiciTransport({ idleTimeoutMs: none, proxy: none, ca: none, env: none }),
}

test.each(Object.entries(transports))('an option that is undefined counts as absent, with %s', async (_, create) => {
  const emulator = await createEmulator(emulatorOptions)
  onTestFinished(() => emulator.close())
  const { baseUrl } = await emulator.listen({ host: none, port: none, tls: none })
  const options = { ...clientOptions, ...nested, baseUrl, apiKey: emulator.apiKey }
  await using client = createClient({ ...options, transport: create(emulator.fetch) })
  const { slug } = await client.upload(Buffer.from('GIF89a'), uploadOptions)
  expect((await client.list({ page: none, signal: none })).data).toMatchObject([{ slug }])
  expect((await client.request('GET', '/api/stats', { body: none, contentType: none, signal: none })).status).toBe(200)
  emulator.control.faults.add({
    match: { account_id: none, method: none, path: none, nth: none },
    times: none,
    action: { type: 'delay', ms: 1 },
  })
  expect(emulator.control.faults.list()).toHaveLength(1)
})
