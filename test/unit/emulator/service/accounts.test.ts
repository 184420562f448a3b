import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/virtual-clock.ts'
import { createInventions } from '../../../../emulator/service/inventions.ts'
import { TakenError } from '../../../../emulator/service/refusal.ts'
import { createService } from '../../../../emulator/service/service.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import { createMemoryStorage } from '../../../../emulator/storage/storage.ts'

function accounts() {
  const makeThumbnail = async () => undefined
  const [settings, clock, inventions] = [createSettings(), createVirtualClock(), createInventions()]
  return createService({ ...createMemoryStorage(), settings, clock, inventions, makeThumbnail }).accounts
}

test('only the password returned at creation is the account’s', () => {
  const service = accounts()
  const { account, password } = service.create()
  expect(service.hasPassword(account.id, password)).toBe(true)
  expect(service.hasPassword(account.id, `${password} `)).toBe(false)
  expect(service.hasPassword(account.id, '')).toBe(false)
  expect(() => service.hasPassword(9, password)).toThrow('There is no account 9')
})

test('an account is created with the given key and email, and neither can be used twice', () => {
  const service = accounts()
  const { account } = service.create({ apiKey: 'key', email: 'me@example.com', password: 'secret' })
  expect(service.findByKey('key')).toEqual(account)
  expect(service.hasPassword(account.id, 'secret')).toBe(true)
  expect(() => service.create({ apiKey: 'key' })).toThrow(TakenError)
  expect(() => service.create({ email: 'me@example.com' })).toThrow('Another account has this email')
  expect(service.all()).toHaveLength(1)
})

test('keys and passwords are stored only as digests', () => {
  const { account } = accounts().create({ apiKey: 'the-key', password: 'the-password' })
  expect(JSON.stringify(account)).not.toMatch(/the-key|the-password/)
})
