import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'
import { callControl } from './control-call.ts'

test('the connection tells the key of now and the quotas, over HTTP too', async () => {
  const emulator = await emulated({ apiKey: 'first', quotas: { burst: 7 } })
  expect(emulator.control.connection()).toMatchObject({ api_key: 'first', quotas: { burst: 7 } })
  const { api_key } = emulator.control.accounts.regenerateKey(1)
  expect((await callControl(emulator, 'GET', '/connection')).body).toMatchObject({ api_key })
})

test('a key that came as a hash, with a snapshot, is told as null', async () => {
  const emulator = await emulated()
  await emulator.control.state.restore(await (await emulated()).control.state.get())
  expect(emulator.control.connection().api_key).toBeNull()
})
