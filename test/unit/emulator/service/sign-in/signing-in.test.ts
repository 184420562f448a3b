import { hash, scryptSync } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock/clock.ts'
import {
  createSigningIn,
  isPublic,
  isRightPassword,
  publicPassword,
  storedPassword,
} from '../../../../../emulator/service/sign-in/signing-in.ts'
import { openMemoryStorage } from '../../../../../emulator/storage/open.ts'
import { emulated } from '../../emulated.ts'
import { account } from '../../storage/records.ts'

vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  return { ...real, scryptSync: vi.fn(real.scryptSync) }
})

const email = 'me@example.com'
const right = { email, password: 'secret' }
const wrong = { email, password: 'wrong' }
const isWrong = { kind: 'wrong' }

function signingIn() {
  const { records } = openMemoryStorage()
  const clock = createVirtualClock()
  records.accounts.insert(account({ email, passwordHash: storedPassword('secret', email) }))
  const { signIn, resume } = createSigningIn({ records, clock })
  const kindOf = (...given: Parameters<typeof signIn>) => signIn(...given).kind
  /** Signs in so often in a row. */
  const kinds = (count: number, ...given: Parameters<typeof signIn>) => [
    ...new Set(Array.from({ length: count }, () => kindOf(...given))),
  ]
  return { signIn, resume, accounts: records.accounts, clock, kindOf, kinds }
}

test('five wrong tries within a minute are answered, and then even the right password has to wait', async () => {
  const { signIn, kindOf, clock } = signingIn()
  for (let count = 0; count < 5; count += 1) {
    expect(signIn(wrong)).toEqual(isWrong)
    await clock.advance(10_000)
  }
  const refused = { kind: 'too-many-attempts', retryAt: clock.now() + 10_000 }
  expect([signIn(right), signIn(wrong)]).toEqual([refused, refused])
  await clock.advance(9_999)
  expect(kindOf(right)).toBe('too-many-attempts')
  await clock.advance(1)
  expect(signIn(right)).toMatchObject({ kind: 'signed-in', account: { id: 1 } })
})

test('a right password forgets the wrong tries before it, and so does a reset of the records', async () => {
  const { kinds, resume } = signingIn()
  for (let round = 0; round < 3; round += 1) {
    expect([kinds(4, wrong), kinds(1, right)]).toEqual([['wrong'], ['signed-in']])
  }
  kinds(5, wrong)
  resume()
  expect(kinds(1, right)).toEqual(['signed-in'])
})

test('tries are counted by email, however its letters are written, and also where there is no account', async () => {
  const { signIn, kinds } = signingIn()
  for (const spelt of ['me@example.com', 'ME@example.com', ' me@Example.com ', 'Me@example.com', 'mE@example.com']) {
    expect(signIn({ ...wrong, email: spelt })).toEqual(isWrong)
  }
  expect(kinds(1, right)).toEqual(['too-many-attempts'])
  const other = { email: 'other@example.com', password: 'x' }
  expect([kinds(5, other), kinds(1, other)]).toEqual([['wrong'], ['too-many-attempts']])
})

test('an email signs in in any case, and one that differs only in case goes first to the account that has exactly it', async () => {
  const { signIn, accounts } = signingIn()
  accounts.insert(
    account({ email: 'ME@example.com', keyHash: 'l', passwordHash: storedPassword('other', 'ME@example.com') }),
  )
  expect(signIn({ ...right, email: ' Me@Example.COM' })).toMatchObject({ account: { id: 1 } })
  expect(signIn({ email: 'ME@example.com', password: 'other' })).toMatchObject({ account: { id: 2 } })
})

test('an absurdly long password or email is wrong, and no try', () => {
  const { signIn, kinds } = signingIn()
  for (let count = 0; count < 9; count += 1) expect(signIn({ email, password: 'x'.repeat(1_025) })).toEqual(isWrong)
  expect(signIn({ email: 'x'.repeat(1_048_576), password: 'secret' })).toEqual(isWrong)
  expect(kinds(1, right)).toEqual(['signed-in'])
})

test('a thousand other emails do not free an account, nor fill the memory', async () => {
  const { signIn, kinds, clock } = signingIn()
  kinds(5, wrong)
  for (let count = 0; count < 900; count += 1) signIn({ email: `${count}@example.com`, password: 'x' })
  expect(signIn(right)).toMatchObject({ kind: 'too-many-attempts', retryAt: clock.now() + 60_000 })
})

const form = /^scrypt\$8\$8\$1\$[\w-]{22}\$[\w-]{43}$/

test('the public password is stored as its own scrypt hash, by which it is recognised', () => {
  const stored = storedPassword(publicPassword, email)
  expect(stored).toMatch(form)
  expect(isRightPassword(stored, 'password')).toBe(true)
  expect([stored, storedPassword('passwords', email)].map(isPublic)).toEqual([true, false])
})

test('a password is stored as a scrypt hash, of each account with another salt', () => {
  const stored = [email, 'b@example.com'].map((each) => storedPassword('secret', each))
  expect(new Set(stored).size).toBe(2)
  for (const text of stored) {
    expect(text).toMatch(form)
    expect(text).not.toContain(hash('sha256', 'secret'))
    expect([isRightPassword(text, 'secret'), isRightPassword(text, 'Secret')]).toEqual([true, false])
  }
  expect(isRightPassword(undefined, 'password')).toBe(false)
})

test('no account, a wrong password and a right one take one derivation each', () => {
  const stored = storedPassword('secret', email)
  for (const [kept, password] of [
    [undefined, 'secret'],
    [stored, 'wrong'],
    [stored, 'secret'],
  ] as const) {
    const before = vi.mocked(scryptSync).mock.calls.length
    isRightPassword(kept, password)
    expect(vi.mocked(scryptSync).mock.calls.length - before).toBe(1)
  }
})

test('a longer password than the sign-in takes is refused for a new account and in a seed', async () => {
  const { control } = await emulated()
  const password = 'x'.repeat(1_025)
  expect(() => control.accounts.create({ password })).toThrow('The field password takes text of 1 to 1024 letters')
  await expect(emulated({ seed: { accounts: [{ password }] } })).rejects.toThrow(
    /accounts\/0\/password takes text of 1/,
  )
  expect(control.accounts.create({ password: 'x'.repeat(1_024) })).toMatchObject({ id: 2 })
})

test('a password counts whole: with a NUL, letters beyond ASCII, and 1,024 of them', () => {
  const long = 'a'.repeat(1_023)
  for (const [password, other] of [
    ['se\0cret', 'se'],
    ['parolă ț 🔑', 'parola t 🔑'],
    [`${long}b`, `${long}c`],
  ] as const) {
    const stored = storedPassword(password, email)
    expect([isRightPassword(stored, password), isRightPassword(stored, other)]).toEqual([true, false])
  }
})
