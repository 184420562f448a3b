import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock/virtual-clock.ts'
import { createSigningIn } from '../../../../../emulator/service/sign-in/signing-in.ts'
import { storedPassword } from '../../../../../emulator/service/sign-in/stored-password.ts'
import { createMemoryStorage } from '../../../../../emulator/storage/storage.ts'
import { deferred } from '../../../../helpers/deferred.ts'
import { account } from '../../storage/records.ts'
import { countedDerivation } from './service-parts.ts'

const email = 'me@example.com'
const right = { email, password: 'secret' }
const wrong = { email, password: 'wrong' }
const isWrong = { kind: 'wrong' }

function signingIn(derivation = countedDerivation()) {
  const { records } = createMemoryStorage()
  const clock = createVirtualClock()
  records.accounts.insert(account({ email, passwordHash: storedPassword('secret', { isChosen: true }) }))
  const parts = createSigningIn({ records, clock, isDurable: false }, derivation.derive)
  return { ...parts, ...records, clock, calls: derivation.calls }
}

/** A derivation that waits, so that a test can look at what happens meanwhile. */
function slowDerivation() {
  const { derive, calls } = countedDerivation()
  const begun = deferred<void>()
  const gate = deferred<void>()
  return {
    begun: begun.promise,
    finish: gate.resolve,
    calls,
    derive: async (...given: Parameters<typeof derive>) => {
      const derived = derive(...given)
      begun.resolve()
      await gate.promise
      return derived
    },
  }
}

test('five wrong tries within a minute are answered, and then even the right password has to wait', async () => {
  const { signIn, clock, calls } = signingIn()
  for (let count = 0; count < 5; count += 1) {
    expect(await signIn(wrong)).toEqual(isWrong)
    await clock.advance(10_000)
  }
  const refused = { kind: 'too-many-attempts', retryAt: clock.now() + 10_000 }
  expect(await signIn(right)).toEqual(refused)
  expect(await signIn(wrong)).toEqual(refused)
  expect(calls()).toBe(5)
  await clock.advance(9_999)
  expect(await signIn(right)).toMatchObject({ kind: 'too-many-attempts' })
  await clock.advance(1)
  expect(await signIn(right)).toMatchObject({ kind: 'signed-in', account: { id: 1 } })
})

test('a right password forgets the wrong tries before it', async () => {
  const { signIn } = signingIn()
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 4; count += 1) expect(await signIn(wrong)).toEqual(isWrong)
    expect(await signIn(right)).toMatchObject({ kind: 'signed-in' })
  }
})

test('tries are counted by email, however its letters are written, and also where there is no account', async () => {
  const { signIn } = signingIn()
  for (const spelt of ['me@example.com', 'ME@example.com', ' me@Example.com ', 'Me@example.com', 'mE@example.com']) {
    expect(await signIn({ ...wrong, email: spelt })).toEqual(isWrong)
  }
  expect(await signIn(right)).toMatchObject({ kind: 'too-many-attempts' })
  const other = { email: 'other@example.com', password: 'x' }
  for (let count = 0; count < 5; count += 1) expect(await signIn(other)).toEqual(isWrong)
  expect(await signIn(other)).toMatchObject({ kind: 'too-many-attempts' })
})

test('an email signs in in any case, and one that differs only in case goes first to the account that has exactly it', async () => {
  const { signIn, accounts } = signingIn()
  accounts.insert(
    account({ email: 'ME@example.com', keyHash: 'l', passwordHash: storedPassword('other', { isChosen: true }) }),
  )
  expect(await signIn({ ...right, email: ' Me@Example.COM' })).toMatchObject({ account: { id: 1 } })
  expect(await signIn({ email: 'ME@example.com', password: 'other' })).toMatchObject({ account: { id: 2 } })
})

test('of a hundred wrong tries at the same time five are checked', async () => {
  const { signIn, calls } = signingIn()
  const answers = await Promise.all(Array.from({ length: 100 }, () => signIn(wrong)))
  const kinds = answers.map(({ kind }) => kind)
  expect([kinds.filter((kind) => kind === 'wrong').length, calls()]).toEqual([5, 5])
  expect(kinds.filter((kind) => kind === 'too-many-attempts')).toHaveLength(95)
})

test('twenty browsers that sign in at the same time all get in', async () => {
  const { signIn } = signingIn()
  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(right)))
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['signed-in']))
})

test('a try that is aborted before its turn costs nothing, and one that has begun counts', async () => {
  const slow = slowDerivation()
  const { signIn, calls } = signingIn(slow)
  const first = new AbortController()
  const begun = signIn({ ...wrong, signal: first.signal })
  await slow.begun
  const second = new AbortController()
  const waiting = signIn({ ...wrong, signal: second.signal })
  second.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  first.abort(new Error('left'))
  await expect(begun).rejects.toThrow('left')
  slow.finish()
  for (let count = 0; count < 4; count += 1) expect(await signIn(wrong)).toEqual(isWrong)
  expect(await signIn(wrong)).toMatchObject({ kind: 'too-many-attempts' })
  expect(calls()).toBe(5)
  const aborted = AbortSignal.abort(new Error('never'))
  await expect(signIn({ email: 'b@example.com', password: 'x', signal: aborted })).rejects.toThrow('never')
})

test('when the emulator closes, passwords that wait are refused and the one being checked is answered', async () => {
  const slow = slowDerivation()
  const { signIn, close } = signingIn(slow)
  const begun = signIn(right)
  await slow.begun
  const waiting = signIn(right)
  close()
  await expect(waiting).rejects.toMatchObject({ code: 'emulator-closed' })
  await expect(signIn(right)).rejects.toThrow('The emulator is closed')
  slow.finish()
  expect(await begun).toMatchObject({ kind: 'signed-in' })
})

test('a password that was replaced while it was checked is wrong', async () => {
  const slow = slowDerivation()
  const { signIn, accounts } = signingIn(slow)
  const answer = signIn(right)
  await slow.begun
  const replaced = accounts.update(1, { passwordHash: storedPassword('new', { isChosen: true }) })
  slow.finish()
  expect(await answer).toEqual(isWrong)
  expect(accounts.get(1)).toEqual(replaced)
})

test('an absurdly long password or email is wrong without any work', async () => {
  const { signIn, calls } = signingIn()
  expect(await signIn({ email, password: 'x'.repeat(1_025) })).toEqual(isWrong)
  expect(await signIn({ email: 'x'.repeat(1_048_576), password: 'secret' })).toEqual(isWrong)
  expect(calls()).toBe(0)
  expect(await signIn({ email, password: 'x'.repeat(1_024) })).toEqual(isWrong)
  expect(calls()).toBe(1)
})

test('a thousand other emails do not free an account, nor fill the memory', async () => {
  const { signIn, clock } = signingIn()
  for (let count = 0; count < 5; count += 1) await signIn(wrong)
  for (let count = 0; count < 900; count += 1) await signIn({ email: `${count}@example.com`, password: 'x' })
  expect(await signIn(right)).toMatchObject({ kind: 'too-many-attempts', retryAt: clock.now() + 60_000 })
})

test('passwords beyond a hundred that wait are refused for now', async () => {
  const slow = slowDerivation()
  const { signIn } = signingIn(slow)
  const all = Array.from({ length: 102 }, (_, at) => signIn({ email: `${at}@example.com`, password: 'x' }))
  expect(await all.at(-1)).toMatchObject({ kind: 'too-many-attempts' })
  slow.finish()
  expect((await Promise.all(all)).filter(({ kind }) => kind === 'wrong')).toHaveLength(101)
})

test('a suspended account signs in, so that it sees why', async () => {
  const { signIn, accounts } = signingIn()
  accounts.update(1, { suspended: true })
  expect(await signIn(right)).toMatchObject({ kind: 'signed-in', account: { suspended: true } })
})

test('the first right sign-in replaces the digest, and a reset of the records forgets the tries', async () => {
  const { signIn, accounts, resume } = signingIn()
  expect(accounts.get(1)?.passwordHash).toMatch(/^chosen/)
  await signIn(right)
  expect(accounts.get(1)?.passwordHash).toMatch(/^scrypt\$14\$8\$5\$/)
  for (let count = 0; count < 5; count += 1) await signIn(wrong)
  resume()
  expect(await signIn(right)).toMatchObject({ kind: 'signed-in' })
})
