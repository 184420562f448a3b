import { expect, test } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../../../../emulator/index.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { emulated } from '../../emulated.ts'
import { browserOf } from '../../site/visitor.ts'

const known = { email: 'user@example.com', password: 'password' }
const generated = { email: 'user@example.com', password: expect.stringMatching(/^[A-Za-z0-9]{16}$/) }

/** An emulator that other machines can reach. */
async function exposed(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await emulated(options)
  await emulator.listen({ host: '0.0.0.0' })
  return emulator
}

/** How the first account signs in, and the hash of its password. */
async function firstOf({ control, firstAccount }: Emulator) {
  const { records } = await control.state.get()
  const [row] = records['accounts'] as readonly { readonly password_hash: string }[]
  return [firstAccount, row?.password_hash]
}

test('the first account signs in with the public password while only this machine can reach the emulator', async () => {
  const emulator = await emulated({ siteUrl: 'http://localhost:8080' })
  expect(emulator.firstAccount).toEqual(known)
  await emulator.listen()
  await emulator.listen({ host: 'localhost' })
  expect(emulator.firstAccount).toEqual(known)
})

test('where other machines can reach the emulator, the first account gets a generated password, which a reset and a snapshot keep', async () => {
  const snapshot = await (await emulated()).control.state.get()
  const emulator = await exposed({ randomSeed: 'fixed' })
  const before = await firstOf(emulator)
  expect(before[0]).toEqual(generated)
  await emulator.control.reset()
  await emulator.listen({ host: '0.0.0.0' })
  expect(await firstOf(emulator)).toEqual(before)
  await emulator.control.state.restore(snapshot)
  expect(await firstOf(emulator)).toEqual(before)
  expect((await exposed({ randomSeed: 'fixed' })).firstAccount).not.toEqual(before[0])
})

test('on the sign-in page of an exposed emulator, only the generated password of the first account is right', async () => {
  const emulator = await exposed()
  expect((await browserOf(emulator).get('/login')).text).not.toContain('Demo account')
  const statusWith = async (password: string) =>
    (await browserOf(emulator).send('/login', { email: known.email, password })).status
  expect(await statusWith('password')).not.toBe(303)
  await emulator.control.reset()
  expect(await statusWith('password')).not.toBe(303)
  expect(await statusWith(emulator.firstAccount?.password ?? '')).toBe(303)
})

test('a password of the seed stays, also where other machines can reach the emulator', async () => {
  const emulator = await emulated({ seed: { accounts: [{ email: 'me@example.com', password: 'my own' }] } })
  const [, stored] = await firstOf(emulator)
  await emulator.listen({ host: '0.0.0.0' })
  expect(await firstOf(emulator)).toEqual([{ email: 'me@example.com' }, stored])
})

test('a data folder with the public password gets a generated one, and the next run knows only that there is one', async () => {
  const data = temporaryFolder()
  const first = await emulated({ data })
  expect(first.firstAccount).toEqual(known)
  await first.close()
  const second = await exposed({ data })
  expect(second.firstAccount).toEqual(generated)
  const [, stored] = await firstOf(second)
  await second.close()
  const third = await exposed({ data })
  await third.control.reset()
  expect(await firstOf(third)).toEqual([{ email: 'user@example.com' }, stored])
  await third.close()
  const fourth = await emulated({ data })
  await fourth.control.reset()
  expect(fourth.firstAccount).toEqual(known)
})

test('an emulator whose accounts were all deleted has no first account, and another account is not taken for it', async () => {
  const emulator = await exposed()
  emulator.control.accounts.create({ email: 'next@example.com' })
  await emulator.control.accounts.delete(1)
  expect(emulator.firstAccount).toEqual({ email: 'next@example.com' })
  await emulator.control.accounts.delete(2)
  expect(emulator.firstAccount).toBeUndefined()
})
