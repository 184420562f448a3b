import { request } from 'node:http'
import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { emulated } from '../emulated.ts'

interface Sent {
  readonly port: number
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends over a socket with any `Host`, which fetch cannot set. */
function over({ port, method = 'GET', path = '/health', headers = {} }: Sent): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, method, path: `/_emulator${path}`, headers, agent: false }
    const sent = request(target, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve([response.statusCode ?? 0, text]))
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function listening(): Promise<{ readonly emulator: Emulator; readonly port: number }> {
  const emulator = await emulated({ controlToken: 'the-token' })
  const { port } = await emulator.listen()
  return { emulator, port }
}

test('a request over a socket with a foreign host or origin is refused and changes nothing', async () => {
  const { emulator, port } = await listening()
  emulator.control.accounts.create()
  const reset = { port, method: 'POST', path: '/reset' }
  const [hostStatus, host] = await over({ ...reset, headers: { Host: `evil.example:${port}` } })
  expect([hostStatus, JSON.parse(host).error.code]).toEqual([403, 'foreign-host'])
  const [originStatus, origin] = await over({ ...reset, headers: { Origin: 'https://evil.example' } })
  expect([originStatus, JSON.parse(origin).error.code]).toEqual([403, 'foreign-origin'])
  expect(emulator.control.accounts.list()).toHaveLength(2)
  const named = { Host: 'emulator.internal', Authorization: 'Bearer the-token' }
  expect((await over({ ...reset, headers: named }))[0]).toBe(200)
  expect(emulator.control.accounts.list()).toHaveLength(1)
})
