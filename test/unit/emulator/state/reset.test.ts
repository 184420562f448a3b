import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'
import { severalAccounts } from './steps.ts'

test('a reset restores the first account’s key', async () => {
  const emulator = await emulated()
  const { api_key } = emulator.control.accounts.regenerateKey(1)
  await emulator.control.accounts.delete(1)
  await emulator.control.reset()
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
  expect((await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': api_key } })).status).toBe(401)
})

test('a reset cancels pending thumbnails', async () => {
  const emulator = await emulated()
  await send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(100)))
  await emulator.control.reset()
  await emulator.control.clock.advance('1h')
  expect((await emulator.control.state.get()).blobs).toEqual({})
})

test('a seed can have several accounts with keys, sign-ins, account fields and uploads', async () => {
  const emulator = await emulated(severalAccounts)
  expect(emulator.apiKey).toBe('first-key')
  expect(emulator.control.accounts.list()).toMatchObject([
    { id: 1, email: 'user@example.com', albums: 2 },
    { id: 2, email: 'two@example.com', suspended: true },
  ])
  expect(await json(send(emulator, 'GET', '/api/stats'))).toMatchObject({ uploads: 3, albums: 2 })
  expect((await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'second-key' } })).status).toBe(403)
})
