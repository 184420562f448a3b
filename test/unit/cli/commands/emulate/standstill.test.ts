import { expect, onTestFinished, test } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock/clock.ts'
import { nextTurn } from '../../../../../emulator/clock/next-turn.ts'
import { createEmulator } from '../../../../../emulator/index.ts'
import { type Standstill, watchStandstill } from '../../../../../src/cli/commands/emulate/standstill.ts'

/** An emulator whose clock stands, with room for ten small requests, and the time that its clients live in. */
async function standing() {
  const emulator = await createEmulator({ clock: 'virtual', quotas: { burst: 10 } })
  onTestFinished(() => emulator.close())
  const realTime = createVirtualClock()
  const told: Standstill[] = []
  const unwatch = watchStandstill({
    emulator,
    clock: realTime,
    onStandstill: (standstill) => told.push(standstill),
  })
  onTestFinished(unwatch)
  const ask = async (times: number) => {
    const headers = { 'X-Api-Key': emulator.apiKey }
    for (let time = 0; time < times; time += 1) await emulator.fetch(new Request('http://h/api/stats', { headers }))
    await nextTurn()
    await nextTurn()
  }
  return { emulator, realTime, told, ask }
}

test('a client without quota that sends nothing for a second is reported once, with the time it waits for', async () => {
  const { realTime, told, ask } = await standing()
  await ask(10)
  await realTime.advance(999)
  expect(told).toEqual([])
  await realTime.advance(1)
  const standstill = { now: '2026-01-15T12:00:00.000Z', until: '2026-01-15T12:00:10.000Z' }
  expect(told).toEqual([standstill])
  await ask(1)
  await realTime.advance(5_000)
  expect(told).toEqual([standstill])
})

test('a silent client that has quota left is not reported', async () => {
  const { realTime, told, ask } = await standing()
  await ask(9)
  await realTime.advance(5_000)
  expect(told).toEqual([])
})

test('a silent client is not reported if the clock has moved meanwhile', async () => {
  const { emulator, realTime, told, ask } = await standing()
  await ask(10)
  await realTime.advance(500)
  await emulator.control.clock.advance('1s')
  await realTime.advance(5_000)
  expect(told).toEqual([])
})
