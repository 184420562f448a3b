import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../../../../emulator/storage/open.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { until } from '../../../../helpers/until.ts'
import { emulated } from '../../emulated.ts'
import { serviceOn } from './service-parts.ts'

/** A service on a data folder. */
async function serviceIn(folder: string) {
  const storage = await openDataFolder(folder)
  const { service } = serviceOn(storage)
  /** How many parts each stored password has: a digest has one or two, a hash six. */
  const forms = () => service.accounts.all().map(({ passwordHash }) => passwordHash.split('$').length)
  return { service, forms, [Symbol.asyncDispose]: () => service.close().then(storage.close) }
}

test('in a data folder the passwords that a person chose are hashed soon, and generated ones at their first use', async () => {
  await using rig = await serviceIn(temporaryFolder())
  const { service, forms } = rig
  service.accounts.create({ email: 'a@example.com', password: 'apple' })
  service.accounts.create()
  service.accounts.create({ password: 'pear' })
  expect(forms()).toEqual([2, 1, 2])
  await until(() => forms().every((parts, at) => parts === (at === 1 ? 1 : 6)))
  expect(await service.signIn({ email: 'a@example.com', password: 'apple' })).toMatchObject({ kind: 'signed-in' })
})

test('a password of a seed is one that a person chose, and one that the seed leaves open is not', async () => {
  const { control } = await emulated({ seed: { accounts: [{}, { password: 'apple' }, {}] } })
  const { records } = await control.state.get()
  const stored = (records['accounts'] as readonly { readonly password_hash: string }[]).map((row) => row.password_hash)
  expect(stored).toEqual([
    expect.stringMatching(/^scrypt\$/),
    `chosen$${hash('sha256', 'apple')}`,
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ])
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

test('what a process has left undone, the next one does, and then the digest is not in the database’s file any more', async () => {
  const folder = temporaryFolder()
  const passwords = ['apple', 'pear', 'plum']
  {
    await using before = await serviceIn(folder)
    for (const password of passwords) before.service.accounts.create({ password })
  }
  {
    await using after = await serviceIn(folder)
    expect(after.forms()).toEqual([2, 2, 2])
    after.service.resume()
    await until(() => after.forms().every((parts) => parts === 6))
  }
  const bytes = readFileSync(join(folder, 'records.db'), 'latin1')
  expect(bytes).toContain('scrypt$14$8$5$')
  for (const password of passwords) expect(bytes).not.toContain(hash('sha256', password))
})
