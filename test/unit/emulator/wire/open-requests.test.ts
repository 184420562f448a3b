import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/virtual-clock.ts'
import type { HttpRequest } from '../../../../emulator/http.ts'
import { closeGraceMs, OpenRequests } from '../../../../emulator/wire/open-requests.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'
import { emulated, send } from '../emulated.ts'

const body = (async function* () {})()
const request: HttpRequest = { method: 'GET', url: '/', origin: 'http://h', headers: {}, clientIp: '127.0.0.1', body }
const reply = { status: 200, headers: {}, body: null }

function warnings() {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warned.mockRestore())
  return warned
}

test('closing waits for running requests and aborts them after five seconds', async () => {
  const clock = createVirtualClock()
  const requests: OpenRequests = new OpenRequests(
    () => new Promise((resolve) => requests.cut.addEventListener('abort', () => resolve(reply))),
    createVirtualClock(),
    clock,
  )
  const answer = requests.handle(request)
  const closed = requests.close()
  await clock.advance(closeGraceMs - 1)
  expect(requests.cut.aborted).toBe(false)
  await clock.advance(1)
  await closed
  expect(await answer).toBe(reply)
  await expect(requests.handle(request)).rejects.toThrow('The emulator is closed')
  await new OpenRequests(async () => reply, clock, createVirtualClock()).close()
})

test('fifteen waiting requests cause no listener warning from Node', () => {
  const warned = warnings()
  const { cut } = new OpenRequests(async () => reply, createVirtualClock())
  for (let count = 0; count < 15; count += 1) cut.addEventListener('abort', () => {})
  expect(warned).not.toHaveBeenCalled()
})

test('a request is being handled, for the clock, from its arrival to its answer', async () => {
  let handled = 0
  const beginRequest = () => {
    handled += 1
    return () => {
      handled -= 1
    }
  }
  const answer = async () => ({ ...reply, status: 200 + handled })
  const requests = new OpenRequests(answer, { ...createVirtualClock(), beginRequest })
  expect([(await requests.handle(request)).status, handled]).toEqual([201, 0])
})

const form = { 'Content-Type': 'multipart/form-data; boundary=b' }
const stalled = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })

test.each<[string, (emulator: Awaited<ReturnType<typeof emulated>>) => Promise<Response>]>([
  ['an upload whose stream stalls', (it) => send(it, 'POST', '/api/upload', { headers: form, body: stalled() })],
  ['a control call whose stream stalls', (it) => send(it, 'POST', '/_emulator/accounts', { body: stalled() })],
  [
    'an answer that a fault holds back for a day',
    (it) => {
      it.control.faults.set([{ action: { type: 'delay', ms: 86_400_000 } }])
      return send(it, 'GET', '/api/stats')
    },
  ],
])('%s does not keep an emulator from closing: after five seconds its connection is broken', async (_, ask) => {
  const emulator = await emulated({ clock: 'system' })
  fakeTimers('setTimeout', 'clearTimeout')
  const answer = ask(emulator).catch((error: unknown) => error)
  await nextTurn()
  const closed = emulator.close()
  await vi.advanceTimersByTimeAsync(closeGraceMs)
  await closed
  expect(await answer).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
})

test('a listener that opens while the emulator closes is closed again', async () => {
  const emulator = await emulated()
  const opening = emulator.listen()
  const closed = emulator.close()
  await expect(opening).rejects.toThrow('The emulator is closed')
  await closed
})

test('a body that yields text is refused with the platform’s own error', async () => {
  const text = new ReadableStream({ start: (stream) => stream.enqueue('text') })
  const sent = send(await emulated(), 'POST', '/api/upload', { headers: form, body: text })
  await expect(sent).rejects.toThrow(new TypeError('Received non-Uint8Array chunk'))
})

test('a control call whose client disconnects is no error of the emulator and causes no warning', async () => {
  const warned = warnings()
  const gone = new ReadableStream<Uint8Array>({ start: (stream) => stream.error(new Error('gone')) })
  await expect(send(await emulated(), 'POST', '/_emulator/accounts', { body: gone })).rejects.toThrow('fetch failed')
  expect(warned).not.toHaveBeenCalled()
})
