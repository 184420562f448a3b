import { expect, test } from 'vitest'
import { emulated, send } from '../emulated.ts'
import { page } from './looking.ts'

test('a page full of requests, accounts and faults weighs less than 60 kB with all that it loads', async () => {
  const emulator = await emulated({ quotas: { minute: 60 } })
  for (let count = 0; count < 60; count += 1) await send(emulator, 'GET', `/api/uploads/slug${count}`)
  for (let count = 0; count < 12; count += 1) emulator.control.accounts.create()
  for (let count = 0; count < 3; count += 1) {
    emulator.control.faults.add({ match: { method: 'POST', path: '/api/upload' }, action: { type: 'delay', ms: 500 } })
  }
  const html = await page(emulator)
  const paths = [...html.matchAll(/"(\/_emulator\/ui\/assets\/[^"]+)"/g)].map(([, path]) => path)
  const parts = await Promise.all(paths.map(async (path) => (await emulator.fetch(`http://h${path}`)).text()))
  expect(paths).toHaveLength(3)
  expect([html, ...parts].reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(60_000)
})
