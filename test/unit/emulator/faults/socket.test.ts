import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import type { EmulatorOptions, FaultAction } from '../../../../emulator/index.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { tlsFiles } from '../../../helpers/tls.ts'
import { emulated } from '../emulated.ts'
import { faultNext } from './fault-next.ts'
import { received } from './received.ts'

const form = fileForm(jpegBytes(1_000))

async function struck(action: FaultAction, options: EmulatorOptions = {}) {
  const emulator = await emulated(options)
  const { port, baseUrl } = await emulator.listen()
  const consequences = faultNext(emulator, action)
  const headers = { ...form.headers, 'X-Api-Key': emulator.apiKey }
  return { emulator, port, consequences, url: `${baseUrl}/api/upload`, headers }
}

type Struck = Awaited<ReturnType<typeof struck>>

/** A raw socket that has sent the head of an upload. */
function begun({ port, headers }: Struck, more: Readonly<Record<string, string>> = { Connection: 'close' }): Socket {
  const socket = connect(port, '127.0.0.1')
  const head = { Host: 'h', ...more, 'Content-Length': form.body.length, ...headers }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`)
  socket.write(['POST /api/upload HTTP/1.1', ...lines, '', ''].join('\r\n'))
  return socket
}

/** Sends an upload over a raw socket and reads everything until the connection ends. */
function raw(target: Struck, body: Uint8Array = form.body) {
  const socket = begun(target)
  socket.write(body)
  return received(socket)
}

/** Resolves with all received text once it matches. */
function hearing(socket: Socket): (pattern: RegExp) => Promise<string> {
  let heard = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text
  })
  return async (pattern) => {
    while (!pattern.test(heard)) await once(socket, 'data')
    return heard
  }
}

test('a slow body stops waiting when the client disconnects', async () => {
  const target = await struck({ type: 'slow_body', ms: 60_000 }, { clock: 'system' })
  const socket = connect(target.port, '127.0.0.1')
  const key = `X-Api-Key: ${target.emulator.apiKey}`
  socket.write(`GET /api/stats HTTP/1.1\r\nHost: h\r\n${key}\r\n\r\n`)
  await once(socket, 'data')
  socket.destroy()
  // The grace period for running requests never ends, so the test fails if one remains.
  fakeTimers('setTimeout')
  await target.emulator.close()
})

test('an early answer arrives before the body is sent, and the connection stays usable', async () => {
  const target = await struck({ type: 'early_response', status: 503, headers: { 'Retry-After': '9' } })
  const socket = begun(target, {})
  const heard = hearing(socket)
  await heard(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 9\r\n/)
  socket.write(form.body)
  socket.write(`GET /api/stats HTTP/1.1\r\nHost: h\r\nX-Api-Key: ${target.emulator.apiKey}\r\n\r\n`)
  await heard(/HTTP\/1\.1 200 [\s\S]*\}$/)
  socket.destroy()
  expect(target.consequences()).toMatchObject({ logged: [{ status: 503, cost: 0 }], uploads: 0 })
})

test('html_error and status answer after the whole body has arrived', async () => {
  const page = await raw(await struck({ type: 'html_error' }))
  expect([page.status, String(page.body)]).toEqual([502, expect.stringMatching(/^<!DOCTYPE html>/)])
  expect(page.head).toMatch(/content-type: text\/html/i)
  const target = await struck({ type: 'status', status: 500 })
  const waiting = begun(target)
  waiting.write(form.body.subarray(0, 100))
  while (target.emulator.control.faults.list()[0]?.struck !== 1) await new Promise((resolve) => setImmediate(resolve))
  expect(target.emulator.control.requests.list().kept).toBe(0)
  waiting.write(form.body.subarray(100))
  await hearing(waiting)(/^HTTP\/1\.1 500 /)
})

test('with TLS, a reset closes the connection without close_notify', async () => {
  const emulator = await emulated()
  const { baseUrl } = await emulator.listen({ tls: tlsFiles })
  faultNext(emulator, { type: 'reset_before' })
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const sent = request(`${baseUrl}/api/stats`, { dispatcher })
  await expect(sent).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) })
  await dispatcher.close()
})
