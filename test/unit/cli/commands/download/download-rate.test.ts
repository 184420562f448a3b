import { expect, test } from 'vitest'
import { createSiteDownloader } from '../../../../../src/cli/commands/download/command.ts'
import { resolveSettings } from '../../../../../src/cli/config/settings.ts'
import type { Context } from '../../../../../src/cli/context/context.ts'
import type { Transport } from '../../../../../src/index.ts'
import { instantClock } from '../../../../helpers/instant-clock.ts'

async function* body() {
  yield Buffer.alloc(60_000)
}

const transport: Transport = { send: async () => ({ status: 200, headers: {}, body: body() }) }

test('downloads with --bwlimit share that rate', async () => {
  const clock = instantClock()
  const { settings } = resolveSettings({}, {}, { profiles: {}, profile: undefined }, false)
  const context = { settings: () => settings, openTransport: () => transport, clock, reporter: { report() {} } }
  await using site = await createSiteDownloader({ bwlimit: 10_000 }, context as unknown as Context)
  const startedAt = clock.now()
  let bytes = 0
  const write = async (chunk: Uint8Array) => {
    bytes += chunk.length
  }
  const target = { name: 'a.jpg', resume: () => ({ bytes: 0 }), begin: async () => {}, write }
  const { signal } = new AbortController()
  await site.fetch('http://site.example/a.jpg', target, { size: 60_000, signal })
  await site.fetch('http://site.example/b.jpg', target, { size: 60_000, signal })
  expect([bytes, Math.round((clock.now() - startedAt) / 1_000)]).toEqual([120_000, 12])
})
