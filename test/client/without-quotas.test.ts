import { expect, test } from 'vitest'
import { defaultLimits, perWindow } from '../../src/protocol/rate-limits.ts'
import type { EmulatorOptions } from '../helpers/emulated-rig.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'

/** A client as it comes, on a clock that counts what it is asked for, and `send`, which uploads files of their own. */
async function connect(options: EmulatorOptions) {
  const emulated = { quotas: {}, ...options }
  const { client, emulator, sleeps } = await inProcessClient({ emulator: emulated, client: { pacing: {} } })
  const send = async (from: number, until: number) => {
    for (let index = from; index < until; index += 1) await client.upload(photo(index))
  }
  return { emulator, client, sleeps, send }
}

const photo = (index: number) => new File([jpegBytes(100 + index)], `${index}.jpg`)

test('a client uploads 200 files to an account without quotas and never waits, one after the other and all at once', async () => {
  const { client, emulator, sleeps, send } = await connect({ quotas: 'none' })
  await send(0, 100)
  await Promise.all(Array.from({ length: 100 }, (_, index) => client.upload(photo(100 + index))))
  expect([await client.stats(), sleeps]).toMatchObject([{ uploads: 200 }, []])
  expect(client.quota()).toMatchObject(perWindow(() => ({ limit: null, remaining: null, used: 2_001 })))
  expect(emulator.control.report()).toMatchObject({ clean: true })
})

test('a client whose account gets quotas is refused once at the most', async () => {
  const { client, emulator, send } = await connect({ quotas: 'none' })
  await send(0, 5)
  emulator.control.accounts.update(1, { quotas: { ...defaultLimits } })
  await send(5, 12)
  const { requests } = emulator.control.requests.list({ status: 429 })
  expect(requests.length).toBeLessThanOrEqual(1)
  expect(client.quota()).toMatchObject({ burst: { limit: 20 }, day: { limit: 10_000 } })
})

test('a client whose account loses its quotas waits no more', async () => {
  const { emulator, sleeps, send } = await connect({})
  await send(0, 3)
  emulator.control.accounts.update(1, { quotas: 'none' })
  await send(3, 4)
  sleeps.length = 0
  await send(4, 20)
  expect(sleeps).toEqual([])
})
