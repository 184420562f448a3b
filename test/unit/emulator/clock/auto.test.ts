import { open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SwitchableClock, virtualStartMs } from '../../../../emulator/clock/clock.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}

const day = 86_400_000

test('an auto clock stands while no sleeper waits for it, and for the service’s own sleeps', async () => {
  const clock = new SwitchableClock('auto')
  const background = clock.sleepInBackground(2_000)
  await turns(1_000)
  expect(clock.now()).toBe(virtualStartMs)
  await clock.sleep(5_000)
  await background
  expect(clock.now()).toBe(virtualStartMs + 5_000)
})

test('an auto clock stands while the program reads a file', async () => {
  const clock = new SwitchableClock('auto')
  const order: string[] = []
  const sleep = clock.sleep(1_000).then(() => order.push('slept'))
  for (let read = 0; read < 50; read += 1) {
    const file = await open(import.meta.filename)
    await file.read(new Uint8Array(10))
    await file.close()
  }
  order.push('read')
  await sleep
  expect(order).toEqual(['read', 'slept'])
})

test('an aborted sleep does not move an auto clock', async () => {
  const clock = new SwitchableClock('auto')
  const reason = new Error('enough')
  const aborter = new AbortController()
  const sleep = clock.sleep(1_000, aborter.signal)
  aborter.abort(reason)
  await expect(sleep).rejects.toBe(reason)
  await turns(1_000)
  expect(clock.now()).toBe(virtualStartMs)
})

test('a virtual clock that is switched to auto wakes those who sleep once earlier requests have ended; switched back, it stands', async () => {
  const clock = new SwitchableClock('virtual')
  const sleep = clock.sleep(1_000)
  const end = clock.beginRequest()
  await turns(1_000)
  await clock.switchTo('auto')
  await turns(1_000)
  expect(clock.now()).toBe(virtualStartMs)
  end()
  await sleep
  expect([clock.mode, clock.now()]).toEqual(['auto', virtualStartMs + 1_000])
  await clock.switchTo('virtual')
  void clock.sleep(1_000)
  await turns(1_000)
  expect(clock.now()).toBe(virtualStartMs + 1_000)
})

test('an auto clock moves although a test has faked the global timers', async () => {
  fakeTimers()
  const clock = new SwitchableClock('auto')
  await clock.sleep(day)
  expect(clock.now()).toBe(virtualStartMs + day)
})

test('with any mixture of sleepers and requests, an auto clock wakes each sleeper once, at its due time, and stands while a request is handled', async () => {
  const step = fc.record({ ms: fc.integer({ min: 1, max: 5_000 }), turns: fc.nat(40), isRequest: fc.boolean() })
  const program = fc.array(step, { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.array(program, { minLength: 1, maxLength: 4 }), async (programs) => {
      const clock = new SwitchableClock('auto')
      const run = async (steps: (typeof programs)[number]) => {
        for (const { ms, turns: count, isRequest } of steps) {
          const end = isRequest ? clock.beginRequest() : () => {}
          const before = clock.now()
          await turns(count)
          if (isRequest) expect(clock.now()).toBe(before)
          end()
          const asleepAt = clock.now()
          await clock.sleep(ms)
          expect(clock.now()).toBe(asleepAt + ms)
        }
      }
      await Promise.all(programs.map(run))
    }),
    { numRuns: 60, seed: 13 },
  )
})
