import { expect, test } from 'vitest'
import { mostEventStreams } from '../../../../../emulator/control/http/streams.ts'
import { emulated } from '../../emulated.ts'

test('in the same process a snapshot that is never read holds up no other', async () => {
  const emulator = await emulated()
  await emulator.fetch('http://h/_emulator/state')
  expect((await emulator.fetch('http://h/_emulator/state')).status).toBe(200)
})

test('beyond 50 streams of events, those with a wrong filter not counted, the control API answers 503, until one ends', async () => {
  const emulator = await emulated()
  const clients: AbortController[] = []
  const open = () => {
    const client = new AbortController()
    clients.push(client)
    return emulator.fetch('http://h/_emulator/requests/stream', { signal: client.signal })
  }
  const wrong = () => emulator.fetch('http://h/_emulator/requests/stream?status=x')
  for (let at = 0; at <= mostEventStreams; at += 1) expect((await wrong()).status).toBe(422)
  const opened = await Promise.all(Array.from({ length: mostEventStreams }, open))
  expect(opened.every(({ status }) => status === 200)).toBe(true)
  const refused = await open()
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '2'])
  expect(await refused.json()).toMatchObject({ error: { code: 'too-many-streams' } })
  expect((await emulator.fetch('http://h/_emulator/requests/stream', { method: 'HEAD' })).status).toBe(200)
  expect((await wrong()).status).toBe(503)
  clients[0]?.abort()
  expect((await emulator.fetch('http://h/_emulator/requests/stream')).status).toBe(200)
})
