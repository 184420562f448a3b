import { expect, test } from 'vitest'
import { TakenError } from '../../../../emulator/service/refusal.ts'
import { serviceOn } from './sign-in/service-parts.ts'

test('only the password returned at creation is the account’s', async () => {
  const { accounts, signIn } = serviceOn().service
  const { account, password } = accounts.create()
  const { email } = account
  expect(await signIn({ email, password: `${password} ` })).toEqual({ kind: 'wrong' })
  expect(await signIn({ email, password: '' })).toEqual({ kind: 'wrong' })
  expect(await signIn({ email: 'other@example.com', password })).toEqual({ kind: 'wrong' })
  expect(await signIn({ email, password })).toMatchObject({ kind: 'signed-in', account: { id: account.id } })
})

test('an account is created with the given key and email, and neither can be used twice', async () => {
  const { accounts, signIn } = serviceOn().service
  const { account } = accounts.create({ apiKey: 'key', email: 'me@example.com', password: 'secret' })
  expect(accounts.findByKey('key')).toEqual(account)
  expect(await signIn({ email: 'me@example.com', password: 'secret' })).toMatchObject({ kind: 'signed-in' })
  expect(() => accounts.create({ apiKey: 'key' })).toThrow(TakenError)
  expect(() => accounts.create({ email: 'me@example.com' })).toThrow('Another account has this email')
  expect(accounts.all()).toHaveLength(1)
})

test('keys and passwords are stored only as digests', () => {
  const { account } = serviceOn().service.accounts.create({ apiKey: 'the-key', password: 'the-password' })
  expect(JSON.stringify(account)).not.toMatch(/the-key|the-password/)
})
