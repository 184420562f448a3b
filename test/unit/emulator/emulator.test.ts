import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../emulator/index.ts'
import { fakeTimers } from '../../helpers/fake-timers.ts'
import { jpegBytes } from '../../helpers/media.ts'
import { fileForm } from '../../helpers/multipart-form.ts'
import { emulated, json, send } from './emulated.ts'

test('an aborted fetch rejects with the signal’s reason, is logged as unanswered (499) and stores nothing', async () => {
  const emulator = await emulated()
  const controller = new AbortController()
  const form = fileForm(jpegBytes(10_000))
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(form.body.subarray(0, 5_000)),
  })
  const answer = send(emulator, 'POST', '/api/upload', { headers: form.headers, body, signal: controller.signal })
  await new Promise((resolve) => setImmediate(resolve))
  const reason = new Error('changed my mind')
  controller.abort(reason)
  await expect(answer).rejects.toBe(reason)
  expect(emulator.control.requests.list().requests).toMatchObject([{ status: 499, cost: 10 }])
  expect((await json(send(emulator, 'GET', '/api/stats'))).uploads).toBe(0)
  await expect(send(emulator, 'GET', '/api/stats', { signal: controller.signal })).rejects.toBe(reason)
})

test('an emulator with a clock of the caller’s follows that clock', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 6, 1))
  const emulator = await emulated({ clock })
  await clock.advance(90_000)
  const { upload } = await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(10))))
  expect(upload.created_at).toBe('2026-07-01T03:01:30+03:00')
  expect(emulator.clock).toBe(clock)
})

test('a program that sends requests in a loop in the same process does not stop its timers', async () => {
  const emulator = await emulated()
  let fired = false
  setTimeout(() => {
    fired = true
  }, 5)
  for (let sent = 0; !fired && sent < 50_000; sent += 1) await send(emulator, 'GET', '/api/stats')
  expect(fired).toBe(true)
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
