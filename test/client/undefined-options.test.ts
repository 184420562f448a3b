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

/** Every option; under exactOptionalPropertyTypes this compiles only if the types take undefined too. */
const emulatorOptions: { readonly [Name in keyof Required<EmulatorOptions>]: undefined } = {
  apiKey: none,
  quotas: none,
  clock: none,
  onStandstill: none,
  maxFileSizeBytes: none,
  data: none,
  siteUrl: none,
  dialect: none,
  settings: none,
  seed: none,
  randomSeed: none,
  controlToken: none,
}

const uploadOptions: { readonly [Name in keyof Required<UploadOptions>]: undefined } = {
  signal: none,
  onProgress: none,
  onBytes: none,
  onState: none,
  onEvent: none,
  maxFileSizeBytes: none,
  anyType: none,
  onIntent: none,
  knownSlugs: none,
  tellApart: none,
}

const clientOptions: { readonly [Name in keyof Required<Omit<ClientOptions, 'baseUrl' | 'apiKey'>>]: unknown } = {
  transport: none,
  clock: none,
  pacing: { limits: none, ledger: none, folder: none, reserve: none },
  retry: { retries: none, maxWaitMs: none },
  userAgent: none,
  onEvent: none,
  allowInsecureHttp: none,
  othersUpload: none,
  uploadBytesPerSecond: none,
} satisfies Partial<ClientOptions>

const transports: Readonly<Record<string, (fetch: typeof globalThis.fetch) => Transport>> = {
  fetch: (fetch) => fetchTransport(fetch, { idleTimeoutMs: none }),
  node: () => nodeTransport({ idleTimeoutMs: none, ca: none }),
  undici: () => undiciTransport({ idleTimeoutMs: none, proxy: none, ca: none, env: none }),
}

test.each(Object.entries(transports))(
  'an option whose value is undefined counts as absent, with the %s transport',
  async (_, create) => {
    const emulator = await createEmulator(emulatorOptions)
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen({ host: none, port: none, tls: none })
    const options = { ...(clientOptions as Partial<ClientOptions>), baseUrl, apiKey: emulator.apiKey }
    await using client = createClient({ ...options, transport: create(emulator.fetch) })
    const { slug } = await client.upload(Buffer.from('GIF89a'), uploadOptions)
    expect((await client.list({ page: none, signal: none })).data).toMatchObject([{ slug }])
    expect((await client.request('GET', '/api/stats', { body: none, contentType: none, signal: none })).status).toBe(
      200,
    )
    emulator.control.faults.add({
      match: { account_id: none, method: none, path: none, nth: none },
      times: none,
      action: { type: 'delay', ms: 1 },
    })
    expect(emulator.control.faults.list()).toHaveLength(1)
  },
)
