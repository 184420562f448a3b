import { expect, test } from 'vitest'
import { fakeTimers } from '../../helpers/fake-timers.ts'
import { emulated, send } from './emulated.ts'

test('a program that sends requests in a loop in the same process does not stop its timers', async () => {
  const emulator = await emulated()
  let fired = false
  setTimeout(() => {
    fired = true
  }, 5)
  for (let sent = 0; !fired && sent < 50_000; sent += 1) await send(emulator, 'GET', '/api/stats')
  expect(fired).toBe(true)
})

test('a program that moves the clock in a loop does not stop timers and sockets', async () => {
  const emulator = await emulated()
  let happened = false
  setImmediate(() => {
    happened = true
  })
  for (let moves = 0; !happened && moves < 50_000; moves += 1) await emulator.control.clock.advance(1_000)
  expect(happened).toBe(true)
})

test('a test with fake timers can move the clock and send requests', async () => {
  const emulator = await emulated()
  fakeTimers()
  const woken = emulator.clock.sleep(1_000)
  await emulator.control.clock.advance('2s')
  await woken
  emulator.control.faults.set([{ action: { type: 'truncate_response' } }])
  await expect(send(emulator, 'GET', '/api/stats').then((response) => response.text())).rejects.toThrow('terminated')
  for (let sent = 0; sent < 1_100; sent += 1) expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
})
