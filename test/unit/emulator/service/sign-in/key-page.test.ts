import { expect, test } from 'vitest'
import { serviceOn } from './service-parts.ts'

function signedIn() {
  const rig = serviceOn()
  const { accounts, keyPage, sessions } = rig.service
  const { account, apiKey } = accounts.create({ email: 'me@example.com', password: 'my own' })
  const { id, session } = sessions.open(account.id)
  /** Orders a key with the form that has this token. */
  const order = (formToken = 't1', password = 'my own') => keyPage.issueKey({ session, password, formToken })
  const take = (of = session) => keyPage.takeIssuedKey(of)
  return { ...rig, ...rig.service, account, apiKey, id, session, order, take }
}

const issued = { kind: 'issued' }

test('a new key is shown only to the session that ordered it, once', async () => {
  const { sessions, order, take, account } = signedIn()
  expect(await order()).toEqual(issued)
  expect(take(sessions.open(account.id).session)).toBeUndefined()
  expect([take(), take()]).toEqual([expect.stringMatching(/^[A-Za-z0-9]{40}$/), undefined])
})

test('a form sent twice makes one key, at the same time or later, and an order without a token one each time', async () => {
  const { storage, keyPage, session, order, take } = signedIn()
  expect(await Promise.all([order(), order()])).toEqual([issued, issued])
  const key = take() ?? ''
  expect(await order()).toEqual(issued)
  expect([take(), storage.records.accounts.findByKey(key)?.id]).toEqual([undefined, 1])
  expect(await order('t2')).toEqual(issued)
  expect(storage.records.accounts.findByKey(key)).toBeUndefined()
  const made = new Set([take()])
  for (const _ of [1, 2]) {
    expect(await keyPage.issueKey({ session, password: 'my own' })).toEqual(issued)
    made.add(take())
  }
  expect([made.size, made.has(undefined)]).toEqual([3, false])
})

test('a form with a wrong password can be sent again', async () => {
  const { order, storage, apiKey } = signedIn()
  expect(await order('t1', 'wrong')).toEqual({ kind: 'wrong-password' })
  expect(storage.records.accounts.findByKey(apiKey)).toBeDefined()
  expect(await order()).toEqual(issued)
})

test('wrong passwords of the sign-in and of the key page count together', async () => {
  const { signIn, order, clock, account } = signedIn()
  const { email } = account
  for (const at of [1, 2, 3]) expect(await order(`wrong ${at}`, 'wrong')).toEqual({ kind: 'wrong-password' })
  for (const _ of [4, 5]) expect(await signIn({ email, password: 'wrong' })).toEqual({ kind: 'wrong' })
  const refused = { kind: 'too-many-attempts', retryAt: clock.now() + 60_000 }
  expect([await order(), await signIn({ email, password: 'my own' })]).toEqual([refused, refused])
  await clock.advance(60_000)
  expect(await order()).toEqual(issued)
})

test('spec 1: a new key is kept for 60 seconds of the service’s clock', async () => {
  const { order, take, clock } = signedIn()
  await order()
  await clock.advance(59_999)
  expect(take()).toBeDefined()
  await order('t2')
  await clock.advance(60_000)
  expect(take()).toBeUndefined()
})

test('a sign-out, and a replacement of the records, drop a new key', async () => {
  const { service, order, take, sessions, id, account } = signedIn()
  await order()
  service.resume()
  expect(take()).toBeUndefined()
  await order('t2')
  const renewed = sessions.open(account.id, id).session
  expect([take(), take(renewed)]).toEqual([undefined, undefined])
})

test('a session that has ended gets no key', async () => {
  const { order, sessions, id, storage, apiKey } = signedIn()
  sessions.end(id)
  expect(await order()).toEqual({ kind: 'signed-out' })
  expect(storage.records.accounts.findByKey(apiKey)).toBeDefined()
})
