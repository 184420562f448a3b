import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { App } from '../../../../emulator/api/app.ts'
import type { Standstill } from '../../../../emulator/clock/standstill.ts'
import { createVirtualClock } from '../../../../emulator/clock/virtual-clock.ts'
import { watchStandstill } from '../../../../emulator/control/standstill-watch.ts'
import { toFetch } from '../../../../emulator/wire/fetch.ts'
import { appParts } from '../api/app-parts.ts'

/** A service whose clock stands, with room for ten small requests, and the time that its clients live in. */
async function standing({ isListening = true } = {}) {
  const parts = appParts()
  parts.settings.update({ quotas: { burst: 10 } })
  const { apiKey } = parts.service.accounts.create()
  const fetch = toFetch(new App(parts).handle)
  const realTime = createVirtualClock()
  const told: Standstill[] = []
  const later = (ms: number, run: () => void) => {
    const stopped = new AbortController()
    realTime.sleep(ms, stopped.signal).then(run, () => {})
    return () => stopped.abort()
  }
  const onStandstill = (standstill: Standstill) => void told.push(standstill)
  watchStandstill({ ...parts, onStandstill, later, isListening: () => isListening })
  const ask = async (times: number) => {
    const headers = { 'X-Api-Key': apiKey }
    for (let time = 0; time < times; time += 1) await fetch(new Request('http://h/api/stats', { headers }))
    await nextTurn()
  }
  return { clock: parts.clock as ReturnType<typeof createVirtualClock>, realTime, told, ask }
}

const standstill = { now: '2026-01-15T12:00:00.000Z', until: '2026-01-15T12:00:10.000Z' }

test('a client without quota that sends nothing for a second is reported once, with the time it waits for', async () => {
  const { realTime, told, ask } = await standing()
  await ask(10)
  await realTime.advance(999)
  expect(told).toEqual([])
  await realTime.advance(1)
  expect(told).toEqual([standstill])
  await ask(1)
  await realTime.advance(5_000)
  expect(told).toEqual([standstill])
})

test('a silent client is not reported if the clock has moved meanwhile', async () => {
  const { clock, realTime, told, ask } = await standing()
  await ask(10)
  await realTime.advance(500)
  await clock.advance(1_000)
  await realTime.advance(5_000)
  expect(told).toEqual([])
})

test('a client that is refused twice at the same instant is reported at once', async () => {
  const { clock, told, ask } = await standing()
  await ask(11)
  await clock.advance(1_000)
  await ask(1)
  expect(told).toEqual([])
  await ask(1)
  expect(told).toEqual([{ ...standstill, now: '2026-01-15T12:00:01.000Z' }])
})

test.each([
  ['a silent client that has quota left', 9, { isListening: true }],
  ['a client that was refused once and sends nothing more', 11, { isListening: true }],
  ['a quiet client of the same process, which would sleep on the clock,', 10, { isListening: false }],
])('%s is not reported', async (_, requests, options) => {
  const { realTime, told, ask } = await standing(options)
  await ask(requests)
  await realTime.advance(5_000)
  expect(told).toEqual([])
})
