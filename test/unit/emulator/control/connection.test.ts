import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'
import { callControl } from './control-call.ts'

test('the connection has the current key and the quotas, over HTTP too', async () => {
  const emulator = await emulated({ apiKey: 'first', quotas: { burst: 7 } })
  expect(emulator.control.connection()).toMatchObject({ api_key: 'first', quotas: { burst: 7 } })
  const { api_key } = emulator.control.accounts.regenerateKey(1)
  expect((await callControl(emulator, 'GET', '/connection')).body).toMatchObject({ api_key })
})

test('the connection has the key null after a restore, because snapshots have only hashes', async () => {
  const emulator = await emulated()
  await emulator.control.state.restore(await (await emulated()).control.state.get())
  expect(emulator.control.connection().api_key).toBeNull()
})
