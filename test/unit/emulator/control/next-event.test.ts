import { expect, test } from 'vitest'
import { virtualStartMs } from '../../../../emulator/clock/virtual-clock.ts'
import { emulated, send, sendFile } from '../emulated.ts'
import { callControl } from './control-call.ts'

const after = (ms: number) => new Date(virtualStartMs + ms).toISOString()

test('the next event is the earliest window that resets, of any account, over HTTP too', async () => {
  const emulator = await emulated({ quotas: { minute: 60, hour: 100 } })
  const { id, api_key } = emulator.control.accounts.create()
  await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': api_key } })
  await emulator.control.clock.advance(1_000)
  await send(emulator, 'GET', '/api/stats')
  const first = { kind: 'window', account_id: id, window: 'burst', at: after(10_000) }
  expect(emulator.control.clock.next()).toEqual(first)
  expect((await callControl(emulator, 'GET', '/clock/next')).body).toEqual(first)
  await emulator.control.clock.set(first.at)
  expect(emulator.control.clock.next()).toMatchObject({ account_id: 1, window: 'burst', at: after(11_000) })
})

test('the next event is a thumbnail that is due before any window resets', async () => {
  const emulator = await emulated({ quotas: { minute: 60 }, settings: { thumbnail_delay_ms: 2_000 } })
  const response = await sendFile(emulator, 10)
  const { upload } = (await response.json()) as { readonly upload: { readonly slug: string } }
  expect(emulator.control.clock.next()).toEqual({ kind: 'thumbnail', slug: upload.slug, at: after(2_000) })
  await emulator.control.clock.advance('2s')
  expect(emulator.control.clock.next()).toMatchObject({ kind: 'window' })
})

test('the next event is the end of a client’s sleep, and nothing that the clock has passed', async () => {
  const emulator = await emulated()
  const { clock, control } = emulator
  const sleeping = clock.sleep(5_000)
  expect(control.clock.next()).toEqual({ kind: 'sleep', at: after(5_000) })
  await control.clock.advance(5_000)
  await sleeping
  expect([control.clock.next(), (await callControl(emulator, 'GET', '/clock/next')).body]).toEqual([null, null])
})
