import { expect, test } from 'vitest'
import { TakenError } from '../../../../emulator/service/refusal.ts'
import { serviceOn } from './sign-in/service-parts.ts'

test('an account is created with the given key and email, which are its alone, and stores digests of key and password', async () => {
  const { accounts, signIn } = serviceOn().service
  const { account } = accounts.create({ apiKey: 'the-key', email: 'me@example.com', password: 'the-password' })
  expect(accounts.findByKey('the-key')).toEqual(account)
  expect(JSON.stringify(account)).not.toMatch(/the-key|the-password/)
  expect(await signIn({ email: 'me@example.com', password: 'the-password' })).toMatchObject({ kind: 'signed-in' })
  expect(() => accounts.create({ apiKey: 'the-key' })).toThrow(TakenError)
  expect(() => accounts.create({ email: 'me@example.com' })).toThrow('Another account has this email')
  expect(accounts.all()).toHaveLength(1)
})
