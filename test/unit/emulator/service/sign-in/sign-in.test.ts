import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock/virtual-clock.ts'
import { createSigningIn } from '../../../../../emulator/service/sign-in/signing-in.ts'
import { storedPassword } from '../../../../../emulator/service/sign-in/stored-password.ts'
import { openMemoryStorage } from '../../../../../emulator/storage/open.ts'
import { account } from '../../storage/records.ts'
import { countedDerivation } from './service-parts.ts'

const email = 'me@example.com'
const right = { email, password: 'secret' }
const wrong = { email, password: 'wrong' }
const isWrong = { kind: 'wrong' }
const chosen = (password: string) => storedPassword(password, { isChosen: true })

function signingIn(derivation = countedDerivation()) {
  const { records } = openMemoryStorage()
  const clock = createVirtualClock()
  records.accounts.insert(account({ email, passwordHash: chosen('secret') }))
  const parts = createSigningIn({ records, clock, isDurable: false }, derivation.derive)
  const kindOf = async (...given: Parameters<typeof parts.signIn>) => (await parts.signIn(...given)).kind
  /** Signs in so often in a row. */
  const kinds = async (count: number, ...given: Parameters<typeof parts.signIn>) => {
    const found = new Set<string>()
    for (let tries = 0; tries < count; tries += 1) found.add(await kindOf(...given))
    return [...found]
  }
  return { ...parts, ...records, clock, calls: derivation.calls, kindOf, kinds }
}

/** A derivation that waits, so that a test can look at what happens meanwhile. */
function slowSigningIn() {
  const { derive, calls } = countedDerivation()
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow: typeof derive = async (...given) => {
    const derived = derive(...given)
    begun.resolve()
    await gate.promise
    return derived
  }
  return { ...signingIn({ calls, derive: slow }), begun: begun.promise, finish: gate.resolve }
}

test('five wrong tries within a minute are answered, and then even the right password has to wait', async () => {
  const { signIn, kindOf, clock, calls } = signingIn()
  for (let count = 0; count < 5; count += 1) {
    expect(await signIn(wrong)).toEqual(isWrong)
    await clock.advance(10_000)
  }
  const refused = { kind: 'too-many-attempts', retryAt: clock.now() + 10_000 }
  expect([await signIn(right), await signIn(wrong), calls()]).toEqual([refused, refused, 5])
  await clock.advance(9_999)
  expect(await kindOf(right)).toBe('too-many-attempts')
  await clock.advance(1)
  expect(await signIn(right)).toMatchObject({ kind: 'signed-in', account: { id: 1 } })
})

test('a right password forgets the wrong tries before it, and so does a reset of the records', async () => {
  const { kinds, resume } = signingIn()
  for (let round = 0; round < 3; round += 1) {
    expect([await kinds(4, wrong), await kinds(1, right)]).toEqual([['wrong'], ['signed-in']])
  }
  await kinds(5, wrong)
  resume()
  expect(await kinds(1, right)).toEqual(['signed-in'])
})

test('tries are counted by email, however its letters are written, and also where there is no account', async () => {
  const { signIn, kinds } = signingIn()
  for (const spelt of ['me@example.com', 'ME@example.com', ' me@Example.com ', 'Me@example.com', 'mE@example.com']) {
    expect(await signIn({ ...wrong, email: spelt })).toEqual(isWrong)
  }
  expect(await kinds(1, right)).toEqual(['too-many-attempts'])
  const other = { email: 'other@example.com', password: 'x' }
  expect([await kinds(5, other), await kinds(1, other)]).toEqual([['wrong'], ['too-many-attempts']])
})

test('an email signs in in any case, at first replaces the digest, and one that differs only in case goes first to the account that has exactly it', async () => {
  const { signIn, accounts } = signingIn()
  accounts.insert(account({ email: 'ME@example.com', keyHash: 'l', passwordHash: chosen('other') }))
  expect(accounts.get(1)?.passwordHash).toMatch(/^chosen/)
  expect(await signIn({ ...right, email: ' Me@Example.COM' })).toMatchObject({ account: { id: 1 } })
  expect(accounts.get(1)?.passwordHash).toMatch(/^scrypt\$14\$8\$5\$/)
  expect(await signIn({ email: 'ME@example.com', password: 'other' })).toMatchObject({ account: { id: 2 } })
})

test('of a hundred wrong tries at the same time five are checked, and twenty right ones all get in', async () => {
  const { kindOf, calls, resume } = signingIn()
  const kinds = await Promise.all(Array.from({ length: 100 }, () => kindOf(wrong)))
  expect([kinds.filter((kind) => kind === 'wrong').length, calls()]).toEqual([5, 5])
  expect(kinds.filter((kind) => kind === 'too-many-attempts')).toHaveLength(95)
  resume()
  const answers = await Promise.all(Array.from({ length: 20 }, () => kindOf(right)))
  expect(new Set(answers)).toEqual(new Set(['signed-in']))
})

test('a try that is aborted before its turn costs nothing, and one that has begun counts', async () => {
  const { signIn, kinds, calls, begun, finish } = slowSigningIn()
  const [first, second] = [new AbortController(), new AbortController()]
  const started = signIn({ ...wrong, signal: first.signal })
  await begun
  const waiting = signIn({ ...wrong, signal: second.signal })
  second.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  first.abort(new Error('left'))
  await expect(started).rejects.toThrow('left')
  finish()
  expect([await kinds(4, wrong), await kinds(1, wrong), calls()]).toEqual([['wrong'], ['too-many-attempts'], 5])
  const aborted = AbortSignal.abort(new Error('never'))
  await expect(signIn({ email: 'b@example.com', password: 'x', signal: aborted })).rejects.toThrow('never')
})

test('when the emulator closes, passwords that wait are refused and the one being checked is answered', async () => {
  const { signIn, close, begun, finish } = slowSigningIn()
  const started = signIn(right)
  await begun
  const waiting = signIn(right)
  close()
  await expect(waiting).rejects.toMatchObject({ code: 'emulator-closed' })
  await expect(signIn(right)).rejects.toThrow('The emulator is closed')
  finish()
  expect(await started).toMatchObject({ kind: 'signed-in' })
})

test('a password that was replaced while it was checked is wrong', async () => {
  const { signIn, accounts, begun, finish } = slowSigningIn()
  const answer = signIn(right)
  await begun
  const replaced = accounts.update(1, { passwordHash: chosen('new') })
  finish()
  expect(await answer).toEqual(isWrong)
  expect(accounts.get(1)).toEqual(replaced)
})

test('an absurdly long password or email is wrong without any work', async () => {
  const { signIn, calls } = signingIn()
  expect(await signIn({ email, password: 'x'.repeat(1_025) })).toEqual(isWrong)
  expect(await signIn({ email: 'x'.repeat(1_048_576), password: 'secret' })).toEqual(isWrong)
  expect(calls()).toBe(0)
  await signIn({ email, password: 'x'.repeat(1_024) })
  expect(calls()).toBe(1)
})

test('a thousand other emails do not free an account, nor fill the memory', async () => {
  const { signIn, kinds, clock } = signingIn()
  await kinds(5, wrong)
  for (let count = 0; count < 900; count += 1) await signIn({ email: `${count}@example.com`, password: 'x' })
  expect(await signIn(right)).toMatchObject({ kind: 'too-many-attempts', retryAt: clock.now() + 60_000 })
})

test('passwords beyond a hundred that wait are refused for now', async () => {
  const { kindOf, finish } = slowSigningIn()
  const all = Array.from({ length: 102 }, (_, at) => kindOf({ email: `${at}@example.com`, password: 'x' }))
  expect(await all.at(-1)).toBe('too-many-attempts')
  finish()
  expect((await Promise.all(all)).filter((kind) => kind === 'wrong')).toHaveLength(101)
})
