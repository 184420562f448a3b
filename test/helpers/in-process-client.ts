import { onTestFinished } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import {
  type Client,
  type ClientOptions,
  createClient,
  fetchTransport,
  type Transport,
  type Upload,
} from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import type { EmulatorOptions } from './emulated-rig.ts'
import { type ExchangeFault, faultyTransport } from './faulty-transport.ts'

interface InProcessOptions {
  readonly emulator?: EmulatorOptions
  readonly faults?: Readonly<Record<string, readonly (ExchangeFault | undefined)[]>>
  readonly client?: Partial<ClientOptions>
  /** What stands between the client and the faults. @param now the time of the emulator */
  readonly before?: (service: Transport, now: () => number) => Transport
}

/** A client of an emulator in the same process, on its virtual clock, which every sleep moves. */
export async function inProcessClient({ emulator: emulated, faults = {}, client: more, before }: InProcessOptions) {
  // A process that draws thumbnails takes longer to start than all that most tests do.
  const settings = { thumbnail: 'never', ...emulated?.settings } as const
  const emulator = await createEmulator({ clock: 'virtual', quotas: unlimited, ...emulated, settings })
  onTestFinished(() => emulator.close())
  const { transport: faulty, counts } = faultyTransport(fetchTransport(emulator.fetch), faults)
  const transport = before?.(faulty, () => emulator.clock.now()) ?? faulty
  const sleeps: number[] = []
  const clock = {
    now: () => emulator.clock.now(),
    monotonic: () => emulator.clock.now(),
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      await emulator.control.clock.advance(ms)
    },
  }
  const options = { baseUrl: 'http://127.0.0.1', apiKey: emulator.apiKey, clock, pacing: false } as const
  const client: Client = createClient({ ...options, transport, ...more })
  // With a clock of its own it shares nothing with the client, like a client of another process.
  const witness = createClient({ ...options, clock: { ...clock }, transport: fetchTransport(emulator.fetch) })

  /** The account's uploads, a minute later: by then the list shows all of them. */
  async function stored(): Promise<readonly Upload[]> {
    await emulator.control.clock.advance(60_000)
    const uploads: Upload[] = []
    for await (const upload of witness.uploads()) uploads.push(upload)
    return uploads
  }

  return { client, witness, emulator, clock, sleeps, counts, stored }
}
