import { scryptSync } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deriveHash } from '../../../../../emulator/service/sign-in/derive-hash.ts'
import { judgePassword, storedPassword } from '../../../../../emulator/service/sign-in/stored-password.ts'
import { emulated } from '../../emulated.ts'

vi.unmock('../../../../../emulator/service/sign-in/derive-hash.ts')

test('the derivation is scrypt with N 16,384, r 8 and p 5, as in the stored hash of the public password', async () => {
  const salt = Buffer.alloc(16, 7)
  const expected = scryptSync('digest', salt, 32, { N: 16_384, r: 8, p: 5 })
  expect(Buffer.from(await deriveHash('digest', salt))).toEqual(expected)
  const stored = storedPassword('password', { isChosen: true })
  expect(await judgePassword(stored, 'password', deriveHash)).toEqual({ isRight: true })
})

test('sign-ins that wait when the emulator closes are refused at once, without a warning', async () => {
  const warning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warning.mockRestore())
  const emulator = await emulated()
  const answers = [1, 2, 3, 4].map((at) => {
    const body = new URLSearchParams({ email: `${at}@example.com`, password: 'password' })
    return emulator.fetch('http://localhost/login', { method: 'POST', headers: { Origin: 'http://localhost' }, body })
  })
  const outcomes = Promise.allSettled(answers)
  // Requests of a later turn are in their place by then.
  await emulator.fetch('http://localhost/login')
  await emulator.close()
  const refused = (await outcomes).filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThanOrEqual(3)
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: 'emulator-closed' })
  expect(warning).not.toHaveBeenCalled()
})
