import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import {
  createClient,
  fetchTransport,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  UnknownOutcomeError,
} from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { jpegBytes } from '../helpers/media.ts'
import { sample } from '../sampling/sample.ts'

interface Scene {
  readonly hasMonotonic: boolean
  readonly tellsDate: boolean
  /** Whether an earlier upload has been answered. */
  readonly isFirst: boolean
  /** Whether the file is stored when the connection breaks. */
  readonly isStored: boolean
  /** Whether another program stored a file of the same size and type half a minute earlier. */
  readonly hasLookalike: boolean
}

const MARK_AT = 20

/** Uploads a file whose first answer is lost; sets the clock by `ms` at the given await, counted from 1. */
async function play({ hasMonotonic, tellsDate, isFirst, isStored, hasLookalike }: Scene, at: number, ms: number) {
  const quotas = unlimited
  const emulator = await createEmulator({ clock: 'virtual', quotas, settings: { thumbnail: 'never' } })
  let skewMs = 0
  let awaits = 0
  let isCounting = false
  const pass = () => {
    if (!isCounting) return
    awaits += 1
    if (awaits === at) skewMs += ms
  }
  const service = fetchTransport(emulator.fetch)
  let isLost = false
  async function* passing(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      pass()
      yield chunk
    }
  }
  async function exchange(request: TransportRequest): Promise<TransportResponse> {
    const { body } = request
    const sent = body ? { ...request, body: { ...body, chunks: () => passing(body.chunks()) } } : request
    if (body === undefined || !isCounting || isLost) return await service.send(sent)
    isLost = true
    if (isStored) await service.send(sent)
    else for await (const _ of sent.body?.chunks() ?? []);
    throw new TransportError('interrupted', 'the connection was cut')
  }
  const transport: Transport = {
    async send(request) {
      pass()
      await emulator.control.clock.advance(20)
      const response = await exchange(request).finally(pass)
      const { date, ...others } = response.headers
      return { ...response, headers: tellsDate ? response.headers : others, body: passing(response.body) }
    },
  }
  const clock = {
    now: () => emulator.clock.now() + skewMs,
    ...(hasMonotonic && { monotonic: () => emulator.clock.now() }),
    async sleep(wait: number) {
      pass()
      await emulator.control.clock.advance(wait)
      pass()
    },
  }
  const options = { baseUrl: 'http://127.0.0.1', apiKey: emulator.apiKey, pacing: false } as const
  const client = createClient({ ...options, clock, transport })
  const witness = createClient({ ...options, clock: emulator.clock, transport: service })
  if (hasLookalike) await witness.upload(jpegBytes(100))
  await emulator.control.clock.advance(30_000)
  if (!isFirst) await client.upload(jpegBytes(150))
  await emulator.control.clock.advance(1_000)
  isCounting = true
  const bytes = jpegBytes(100)
  bytes[MARK_AT] = 7
  const outcome = await client.upload(bytes).catch((error: unknown) => error)
  isCounting = false
  const own: string[] = []
  for await (const { slug, direct_url } of witness.uploads()) {
    const stored = new Uint8Array(await (await emulator.fetch(new Request(direct_url))).arrayBuffer())
    if (stored[MARK_AT] === 7) own.push(slug)
  }
  await emulator.close()
  return { outcome, own, awaits }
}

const flags = [true, false]
const steps = [2_000, 5_000, 600_000, 86_400_000].flatMap((ms) => [ms, -ms])
const scenes: readonly (Scene & { readonly ms: number })[] = flags.flatMap((hasMonotonic) =>
  flags.flatMap((tellsDate) =>
    flags.flatMap((isFirst) =>
      flags.flatMap((isStored) =>
        flags.flatMap((hasLookalike) =>
          steps.map((ms) => ({ hasMonotonic, tellsDate, isFirst, isStored, hasLookalike, ms })),
        ),
      ),
    ),
  ),
)

test.each(sample(scenes, 20))(
  'an upload whose answer is lost is stored once and answered with its own record, or unknown, whenever the clock is set: %o',
  async ({ ms, ...scene }) => {
    const { awaits } = await play(scene, 0, 0)
    expect(awaits).toBeGreaterThan(4)
    for (let at = 1; at <= awaits; at += 1) {
      const { outcome, own } = await play(scene, at, ms)
      expect(own.length, `at ${at}`).toBeLessThanOrEqual(1)
      if (outcome instanceof UnknownOutcomeError) continue
      expect([Object(outcome).slug], `at ${at}`).toEqual(own)
    }
  },
)

test.each(sample(flags, 1))(
  'with a monotonic clock, setting the clock never leaves the outcome of a lost answer unknown, stored: %s',
  async (isStored) => {
    const scene = { hasMonotonic: true, tellsDate: true, isFirst: true, isStored, hasLookalike: true }
    const { awaits } = await play(scene, 0, 0)
    for (let at = 1; at <= awaits; at += 1) {
      const { outcome, own } = await play(scene, at, -5_000)
      expect([Object(outcome).slug]).toEqual(own)
    }
  },
)
