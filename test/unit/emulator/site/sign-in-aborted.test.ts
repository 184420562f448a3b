import { expect, onTestFinished, test, vi } from 'vitest'
import { emulated } from '../emulated.ts'

// Refusals have to come while a password is being checked, which takes scrypt a while.
vi.unmock('../../../../emulator/service/sign-in/derive-hash.ts')

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
