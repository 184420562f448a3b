import { readdirSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { createSharedLedger, defaultLimits, nodeTransport, systemClock } from '../../src/index.ts'
import type { LedgerAccount } from '../../src/pacing/ledger.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, held, type Step } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { transports } from './every-transport.ts'

/** How many files below a path this process has open, by /proc. */
function openBelow(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
    } catch {
      return false
    }
  }).length
}

/** Answers 422 when the headers of a request have arrived, and reads nothing of its body. */
const hasty: Step = (request, response) => {
  request.pause()
  response.writeHead(422, { 'Content-Type': 'application/json' }).end('{"message":"no","errors":{}}')
}

describe.skipIf(process.platform !== 'linux')('a file', () => {
  test.each(transports)('a file is closed after an answer that came before it was read, with %s', async (_, create) => {
    const folder = temporaryFolder()
    const path = join(folder, 'large.jpg')
    await writeFile(path, jpegBytes(30_000_000))
    const { client } = await scriptedClient([hasty], { transport: create() })
    await expect(client.upload(path)).rejects.toMatchObject({ status: 422 })
    await vi.waitFor(() => expect(openBelow(folder)).toBe(0))
  })

  test('a shared ledger’s file stays open until the requests under way have ended; the quota can still be read', async () => {
    const pacing = { ledger: 'shared', folder: temporaryFolder() } as const
    const { step, reached, release } = held(200, {})
    const { client } = await scriptedClient([step], { pacing, transport: nodeTransport() })
    const sending = client.request('GET', '/x')
    await reached
    await client.close()
    expect(openBelow(pacing.folder)).toBeGreaterThan(0)
    release()
    await sending
    expect(openBelow(pacing.folder)).toBe(0)
    expect(client.quota().hour).toMatchObject({ used: 1 })
  })

  test('the client closes a ledger that a provider opened for it, and tells the provider what it counts', async () => {
    const folder = temporaryFolder()
    const opened: LedgerAccount[] = []
    const open = (account: LedgerAccount) => {
      opened.push(account)
      const { onOutage: _, onReturn: __, ...counted } = account
      return createSharedLedger({ ...counted, folder })
    }
    const pacing = { ledger: { open }, limits: { minute: 90 }, folder }
    const { client, server } = await scriptedClient([answer(200, {})], { pacing, clock: systemClock })
    await client.request('GET', '/x')
    const account = { baseUrl: server.baseUrl, apiKey: 'secret-key', clock: systemClock }
    const told = { onOutage: expect.any(Function), onReturn: expect.any(Function) }
    expect(opened).toEqual([{ ...account, limits: { minute: 90 }, folder, ...told }])
    expect(client.quota()).toMatchObject({ minute: { limit: 90, used: 1 } })
    expect(openBelow(folder)).toBeGreaterThan(0)
    await client.close()
    expect(openBelow(folder)).toBe(0)
  })

  test('the client does not close a ledger of the caller', async () => {
    const folder = temporaryFolder()
    const ledger = createSharedLedger({ folder, baseUrl: 'http://h', apiKey: 'k', limits: defaultLimits })
    const { client } = await scriptedClient([answer(200, {})], { pacing: { ledger }, clock: systemClock })
    await client.request('GET', '/x')
    await client.close()
    expect(openBelow(folder)).toBeGreaterThan(0)
    ledger.close?.()
    expect(openBelow(folder)).toBe(0)
  })
})

const nothingYet = new Promise<never>(() => {})
const streamed = (first: Uint8Array) => {
  async function* chunks() {
    yield first
    await nothingYet
  }
  return Readable.from(chunks())
}

test.each([
  ['is no image', 'source-unsupported-type', Buffer.alloc(100_000, 'text')],
  ['was never sent', 'rate-limited', jpegBytes(100_000)],
])('a stream that %s is closed', async (_, code, first) => {
  const { client } = await scriptedClient([answer(200, {})], { retry: { maxWaitMs: 0 } })
  for (let count = 0; count < 20; count += 1) await client.request('GET', '/x')
  const stream = streamed(first)
  await expect(client.upload({ stream, name: 'x.jpg' })).rejects.toMatchObject({ code })
  await vi.waitFor(() => expect(stream.destroyed).toBe(true))
})

test('a stream that has been read is refused without waiting for quota or spending it', async () => {
  const refused = answer(429, { error: 'Rate limit exceeded (per hour).' }, { 'Retry-After': '1800' })
  const { client, clock, server } = await scriptedClient([refused, answer(201, { upload: uploadObject })])
  const sending = client.upload({ stream: new Blob([jpegBytes(100)]).stream(), name: 'x.jpg' })
  await expect(sending).rejects.toMatchObject({ code: 'source-spent' })
  expect(clock.sleeps).toEqual([])
  expect(server.requests).toHaveLength(1)
  expect(client.quota().hour?.used).toBe(10)
})
