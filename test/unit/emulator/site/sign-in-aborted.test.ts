import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { emulated } from '../emulated.ts'

// Aborts and refusals have to come while a password is being checked, which takes scrypt a while.
vi.unmock('../../../../emulator/service/sign-in/derive-hash.ts')

function warnings() {
  const warning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warning.mockRestore())
  return warning
}

const signIn = ({ fetch }: Emulator, email: string, signal?: AbortSignal) => {
  const body = new URLSearchParams({ email, password: 'password' })
  const headers = { Origin: 'http://localhost' }
  return fetch('http://localhost/login', { method: 'POST', redirect: 'manual', headers, body, signal: signal ?? null })
}

test('the first request of a double click on "Sign in" is dropped without a warning, and the second signs in', async () => {
  const warning = warnings()
  const emulator = await emulated()
  await signIn(emulator, 'user@example.com')
  const first = new AbortController()
  const dropped = signIn(emulator, 'user@example.com', first.signal)
  const second = signIn(emulator, 'user@example.com')
  // A check takes several times as long.
  await sleep(50)
  first.abort(new Error('clicked again'))
  await expect(dropped).rejects.toThrow('clicked again')
  expect((await second).status).toBe(303)
  expect(warning).not.toHaveBeenCalled()
})

test('sign-ins that wait when the emulator closes are refused at once, without a warning', async () => {
  const warning = warnings()
  const emulator = await emulated()
  const answers = [1, 2, 3, 4].map((at) => signIn(emulator, `${at}@example.com`))
  const outcomes = Promise.allSettled(answers)
  // Requests of a later turn are in their place by then.
  await emulator.fetch('http://localhost/login')
  await emulator.close()
  const refused = (await outcomes).filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThanOrEqual(3)
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: 'emulator-closed' })
  expect(warning).not.toHaveBeenCalled()
})
