import { scryptSync } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { deriveHash } from '../../../../../emulator/service/sign-in/derive-hash.ts'
import { judgePassword, storedPassword } from '../../../../../emulator/service/sign-in/stored-password.ts'

vi.unmock('../../../../../emulator/service/sign-in/derive-hash.ts')

test('the derivation is scrypt with N 16,384, r 8 and p 5, as in the stored hash of the public password', async () => {
  const salt = Buffer.alloc(16, 7)
  const expected = scryptSync('digest', salt, 32, { N: 16_384, r: 8, p: 5 })
  expect(Buffer.from(await deriveHash('digest', salt))).toEqual(expected)
  const stored = storedPassword('password', { isChosen: true })
  expect(await judgePassword(stored, 'password', deriveHash)).toEqual({ isRight: true })
})
