import { expect, test } from 'vitest'
import type { Emulator } from '../../../../../emulator/index.ts'
import { createFirstSignIn } from '../../../../../emulator/service/sign-in/first-sign-in.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { emulated } from '../../emulated.ts'
import { serviceOn } from './service-parts.ts'

const known = { email: 'user@example.com', password: 'password' }
const generated = { email: 'user@example.com', password: expect.stringMatching(/^[A-Za-z0-9]{16}$/) }
const everywhere = { host: '0.0.0.0' }

const storedOf = async ({ control }: Emulator) => {
  const { records } = await control.state.get()
  return (records['accounts'] as readonly { readonly password_hash: string }[])[0]?.password_hash
}

test('the first account signs in with the public password while only this machine can reach the emulator', async () => {
  const emulator = await emulated()
  expect(emulator.firstAccount).toEqual(known)
  await emulator.listen()
  await emulator.listen({ host: 'localhost' })
  expect(emulator.firstAccount).toEqual(known)
})

test('where other machines can reach the emulator, the first account gets a generated password, which a reset keeps', async () => {
  const emulator = await emulated({ randomSeed: 'fixed' })
  await emulator.listen(everywhere)
  const { firstAccount } = emulator
  expect(firstAccount).toEqual(generated)
  const stored = await storedOf(emulator)
  await emulator.control.reset()
  await emulator.listen(everywhere)
  expect([emulator.firstAccount, await storedOf(emulator)]).toEqual([firstAccount, stored])
  const other = await emulated({ randomSeed: 'fixed' })
  await other.listen(everywhere)
  expect(other.firstAccount).not.toEqual(firstAccount)
})

test('on the sign-in page of an exposed emulator, only the generated password of the first account is right', async () => {
  const emulator = await emulated()
  const statusWith = async (password: string) => {
    const body = new URLSearchParams({ email: 'user@example.com', password })
    const headers = { Origin: 'http://localhost' }
    const init = { method: 'POST', redirect: 'manual', headers, body } as const
    return (await emulator.fetch('http://localhost/login', init)).status
  }
  expect(await statusWith('password')).toBe(303)
  await emulator.listen(everywhere)
  expect(await statusWith('password')).not.toBe(303)
  await emulator.control.reset()
  expect(await statusWith('password')).not.toBe(303)
  expect(await statusWith(emulator.firstAccount?.password ?? '')).toBe(303)
})

test('a restored snapshot does not bring the public password back', async () => {
  const snapshot = await (await emulated()).control.state.get()
  const emulator = await emulated()
  await emulator.listen(everywhere)
  const stored = await storedOf(emulator)
  await emulator.control.state.restore(snapshot)
  expect([emulator.firstAccount, await storedOf(emulator)]).toEqual([generated, stored])
})

test('a website that is meant for other machines takes the public password from its first account, once it is served', async () => {
  const emulator = await emulated({ siteUrl: 'https://files.example' })
  expect(emulator.firstAccount).toEqual(known)
  await emulator.listen()
  expect(emulator.firstAccount).toEqual(generated)
  const own = await emulated({ siteUrl: 'http://localhost:8080' })
  await own.listen()
  expect(own.firstAccount).toEqual(known)
})

test('a password of the seed stays, also where other machines can reach the emulator', async () => {
  const emulator = await emulated({ seed: { accounts: [{ email: 'me@example.com', password: 'my own' }] } })
  const stored = await storedOf(emulator)
  await emulator.listen(everywhere)
  expect([emulator.firstAccount, await storedOf(emulator)]).toEqual([{ email: 'me@example.com' }, stored])
})

test('a data folder with the public password gets a generated one, and the next run knows only that there is one', async () => {
  const data = temporaryFolder()
  const first = await emulated({ data })
  expect(first.firstAccount).toEqual(known)
  await first.close()
  const second = await emulated({ data })
  await second.listen(everywhere)
  expect(second.firstAccount).toEqual(generated)
  const stored = await storedOf(second)
  await second.close()
  const third = await emulated({ data })
  await third.listen(everywhere)
  await third.control.reset()
  expect([third.firstAccount, await storedOf(third)]).toEqual([{ email: 'user@example.com' }, stored])
  await third.close()
  const fourth = await emulated({ data })
  await fourth.control.reset()
  expect(fourth.firstAccount).toEqual(known)
})

test('an emulator whose accounts were all deleted has no first account, and another account is not taken for it', async () => {
  const emulator = await emulated()
  await emulator.listen(everywhere)
  emulator.control.accounts.create({ email: 'next@example.com' })
  await emulator.control.accounts.delete(1)
  expect(emulator.firstAccount).toEqual({ email: 'next@example.com' })
  await emulator.control.accounts.delete(2)
  expect(emulator.firstAccount).toBeUndefined()
})

test('a protection that could not be stored is made again', () => {
  const { service, storage } = serviceOn()
  const { passwordHash } = service.accounts.create(known).account
  const first = createFirstSignIn(storage.records.accounts)
  first.protect()
  const { password } = first.get() ?? {}
  storage.records.accounts.update(1, { passwordHash })
  expect(first.get()).toEqual(known)
  first.protect()
  expect(first.get()).toEqual({ ...known, password })
})

test('a protected account signs in with the generated password and not with the public one', async () => {
  const { service, storage } = serviceOn()
  service.accounts.create(known)
  const first = createFirstSignIn(storage.records.accounts)
  first.protect()
  const { email = '', password = '' } = first.get() ?? {}
  expect(await service.signIn(known)).toEqual({ kind: 'wrong' })
  expect(await service.signIn({ email, password })).toMatchObject({ kind: 'signed-in' })
  expect(first.get()).toEqual({ email, password })
})
