import { hash, scryptSync } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import {
  isPublic,
  isRightPassword,
  publicPassword,
  storedPassword,
} from '../../../../../emulator/service/sign-in/signing-in.ts'
import { emulated } from '../../emulated.ts'

vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  return { ...real, scryptSync: vi.fn(real.scryptSync) }
})

const email = 'a@example.com'
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

test('the passwords of a seed, those that it leaves open too, are stored as scrypt hashes', async () => {
  const { control } = await emulated({ seed: { accounts: [{}, { password: 'apple' }, {}] } })
  const { records } = await control.state.get()
  const stored = (records['accounts'] as readonly { readonly password_hash: string }[]).map((row) => row.password_hash)
  expect(stored).toEqual(Array(3).fill(expect.stringMatching(form)))
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
