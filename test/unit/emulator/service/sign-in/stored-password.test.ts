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

const chosen = { isChosen: true }
const [digestOfChosen, digestOfGenerated] = [chosen, { isChosen: false }].map((kind) => storedPassword('secret', kind))

const judged = async (stored: string, password: string) => (await judgePassword(stored, password, deriveHash)).isRight

test('the public password is stored as its own scrypt hash, by which it is recognised', async () => {
  const stored = storedPassword(publicPassword, chosen)
  expect(stored).toMatch(/^scrypt\$14\$8\$5\$[\w-]{22}\$[\w-]{43}$/)
  expect(await judged(stored, 'password')).toBe(true)
  expect([stored, storedPassword('passwords', chosen)].map(isPublic)).toEqual([true, false])
})

test('a new password is stored without work, and one that a person chose is marked', () => {
  expect(digestOfChosen).toBe(`chosen$${hash('sha256', 'secret')}`)
  expect(digestOfGenerated).toBe(hash('sha256', 'secret'))
  expect([digestOfChosen, digestOfGenerated].map((stored = '') => isGuessable(stored))).toEqual([true, false])
})

test('a digest is replaced by scrypt when the password is right, and kept when it is wrong', async () => {
  for (const stored of [digestOfGenerated, digestOfChosen]) {
    expect(await judgePassword(stored, 'Secret', deriveHash)).toEqual({ isRight: false })
    const { isRight, better = '' } = await judgePassword(stored, 'secret', deriveHash)
    expect([isRight, better]).toEqual([true, expect.stringMatching(/^scrypt\$14\$8\$5\$/)])
    expect([await judged(better, 'secret'), await judged(better, 'Secret')]).toEqual([true, false])
  }
})

test('a digest is hashed without the password, each time with another salt', async () => {
  const hashing = [1, 2].map(() => hashedDigest(`${digestOfChosen}`, deriveHash))
  const hashed = (await Promise.all(hashing)).map(String)
  expect(new Set(hashed).size).toBe(2)
  for (const text of hashed) expect(await judged(text, 'secret')).toBe(true)
  expect(await hashedDigest(hashed[0] ?? '', deriveHash)).toBeUndefined()
})

test('no account, a wrong password and a right one take one derivation each, in every form that a password is stored in', async () => {
  const { derive, calls } = countedDerivation()
  const scrypted = (await judgePassword(digestOfGenerated, 'secret', derive)).better
  for (const stored of [undefined, digestOfChosen, digestOfGenerated, scrypted]) {
    for (const password of ['secret', 'wrong']) {
      const before = calls()
      await judgePassword(stored, password, derive)
      expect(calls() - before).toBe(1)
    }
  }
})

test('a password counts whole: with a NUL, letters beyond ASCII, and 1,024 of them', async () => {
  const long = 'a'.repeat(1_023)
  for (const [password, other] of [
    ['se\0cret', 'se'],
    ['parolă ț 🔑', 'parola t 🔑'],
    [`${long}b`, `${long}c`],
  ] as const) {
    const stored = storedPassword(password, chosen)
    expect([await judged(stored, password), await judged(stored, other)]).toEqual([true, false])
  }
})
