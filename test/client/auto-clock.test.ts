import { expect, onTestFinished, test } from 'vitest'
import { virtualStartMs } from '../../emulator/clock/clock.ts'
import { createEmulator, type EmulatorOptions } from '../../emulator/index.ts'
import { type ClientOptions, createClient, fetchTransport } from '../../src/index.ts'
import { jpegBytes } from '../helpers/media.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** A client on the clock of its emulator, which moves by itself. */
async function onAutoClock(options: EmulatorOptions = {}, more: Partial<ClientOptions> = {}) {
  const emulator = await createEmulator({ clock: 'auto', settings: { thumbnail: 'never' }, ...options })
  onTestFinished(() => emulator.close())
  const { apiKey, clock, control } = emulator
  const transport = fetchTransport(emulator.fetch)
  const client = createClient({ baseUrl: 'https://files.example', apiKey, clock, transport, ...more })
  const statuses = () => {
    const counts: Record<number, number> = {}
    for (const { status } of control.requests.list().requests) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }
  const passedMs = () => clock.now() - virtualStartMs
  return { emulator, client, control, statuses, passedMs }
}

const picture = (number: number) => new File([jpegBytes(100 + number)], `${number}.jpg`)

const busy = takesLong(120, 'a thousand uploads on a busy machine')

test('1,000 uploads under the default quotas take a virtual day and no refusal on an auto clock', busy, async () => {
  const { client, statuses, passedMs } = await onAutoClock()
  for (let number = 0; number < 1_000; number += 1) await client.upload(picture(number))
  expect(statuses()).toEqual({ 201: 1_000 })
  // 100 uploads an hour: the last one may begin after nine full hours.
  expect(passedMs() / 3_600_000).toBeGreaterThan(9)
  expect(passedMs() / 3_600_000).toBeLessThan(11)
})

test('an upload whose source sleeps on the auto clock between two parts is stored whole', async () => {
  const { client, emulator, passedMs } = await onAutoClock()
  async function* parts() {
    yield jpegBytes(500)
    await emulator.clock.sleep(3_600_000)
    yield Buffer.alloc(100)
  }
  const { size } = await client.upload({ stream: parts(), name: 'slow.jpg' })
  expect([size, passedMs() >= 3_600_000]).toEqual([600, true])
})

test('an auto clock keeps its mode and time in a data folder and in a snapshot, and a reset returns both', async () => {
  const { emulator, control, passedMs } = await onAutoClock({ data: temporaryFolder() })
  await emulator.clock.sleep(90_000)
  const state = await control.state.get()
  await control.clock.switchTo('virtual')
  await control.reset()
  expect([control.clock.get().mode, passedMs()]).toEqual(['auto', 0])
  await control.clock.switchTo('virtual')
  await control.state.restore(state)
  expect([control.clock.get().mode, passedMs()]).toEqual(['auto', 90_000])
  await emulator.clock.sleep(1_000)
  expect(passedMs()).toBe(91_000)
})

test('a client over a socket gets delayed answers at once on an auto clock, and waits for quota do not move it', async () => {
  const { emulator, control, passedMs } = await onAutoClock({
    quotas: { burst: null, minute: 10 },
    onStandstill: () => {},
  })
  const { baseUrl } = await emulator.listen()
  const call = async () => (await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': emulator.apiKey } })).status
  await Promise.all(Array.from({ length: 10 }, call))
  expect(passedMs()).toBe(2_000)
  const moved = await fetch(`${baseUrl}/_emulator/clock`, { method: 'POST', body: '{"mode":"auto","advance":"1s"}' })
  expect([await call(), await moved.json(), control.clock.get().mode]).toMatchObject([429, { mode: 'auto' }, 'auto'])
})
