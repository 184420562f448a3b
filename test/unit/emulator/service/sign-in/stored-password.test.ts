import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveHash } from '../../../../../emulator/service/sign-in/derive-hash.ts'
import {
  hashedDigest,
  isGuessable,
  isPublic,
  judgePassword,
  publicPassword,
  storedPassword,
} from '../../../../../emulator/service/sign-in/stored-password.ts'
import { countedDerivation } from './service-parts.ts'

const generated = { isChosen: false }
const chosen = { isChosen: true }

test('the public password is stored as its own scrypt hash, by which it is recognised', async () => {
  const stored = storedPassword(publicPassword, chosen)
  expect(stored).toMatch(/^scrypt\$14\$8\$5\$[\w-]{22}\$[\w-]{43}$/)
  expect(await judgePassword(stored, 'password', deriveHash)).toEqual({ isRight: true })
  expect([stored, storedPassword('passwords', chosen)].map(isPublic)).toEqual([true, false])
})

test('a new password is stored without work, and one that a person chose is marked', () => {
  expect(storedPassword('secret', chosen)).toBe(`chosen$${hash('sha256', 'secret')}`)
  expect(storedPassword('secret', generated)).toBe(hash('sha256', 'secret'))
  expect([chosen, generated].map((kind) => isGuessable(storedPassword('secret', kind)))).toEqual([true, false])
})

test.each([
  ['generated', storedPassword('secret', generated)],
  ['chosen', storedPassword('secret', chosen)],
])('a digest %s is replaced by scrypt when the password is right, and kept when it is wrong', async (_, stored) => {
  const wrong = await judgePassword(stored, 'Secret', deriveHash)
  expect(wrong).toEqual({ isRight: false })
  const { isRight, better = '' } = await judgePassword(stored, 'secret', deriveHash)
  expect([isRight, better]).toEqual([true, expect.stringMatching(/^scrypt\$14\$8\$5\$/)])
  expect(await judgePassword(better, 'secret', deriveHash)).toEqual({ isRight: true })
  expect(await judgePassword(better, 'Secret', deriveHash)).toEqual({ isRight: false })
})

test('a digest is hashed without the password, each time with another salt', async () => {
  const stored = storedPassword('secret', chosen)
  const hashed = [await hashedDigest(stored, deriveHash), await hashedDigest(stored, deriveHash)]
  expect(new Set(hashed).size).toBe(2)
  for (const text of hashed) expect(await judgePassword(text, 'secret', deriveHash)).toEqual({ isRight: true })
  expect(await hashedDigest(hashed[0] ?? '', deriveHash)).toBeUndefined()
})

test('no account, a wrong password and a right one take one derivation each, in every form that a password is stored in', async () => {
  const { derive, calls } = countedDerivation()
  const scrypted = (await judgePassword(hash('sha256', 'secret'), 'secret', derive)).better
  const cases = [undefined, storedPassword('secret', chosen), storedPassword('secret', generated), scrypted]
  for (const stored of cases) {
    for (const password of ['secret', 'wrong']) {
      const before = calls()
      await judgePassword(stored, password, derive)
      expect(calls() - before).toBe(1)
    }
  }
})

test.each([
  ['a NUL', 'se\0cret', 'se'],
  ['letters beyond ASCII', 'parolă ț 🔑', 'parola t 🔑'],
  ['1,024 letters', `${'a'.repeat(1_023)}b`, `${'a'.repeat(1_023)}c`],
])('a password with %s counts whole', async (_, password, other) => {
  const { derive } = countedDerivation()
  const stored = storedPassword(password, chosen)
  expect((await judgePassword(stored, password, derive)).isRight).toBe(true)
  expect((await judgePassword(stored, other, derive)).isRight).toBe(false)
})
