import { expect, test } from 'vitest'
import { createMemoryStorage } from '../../../../../emulator/storage/storage.ts'
import { request } from '../../storage/records.ts'
import { countedDerivation, serviceOn } from './service-parts.ts'

function signedIn() {
  const rig = serviceOn(createMemoryStorage(), countedDerivation())
  const { account, apiKey } = rig.service.accounts.create({ email: 'me@example.com', password: 'my own' })
  const { id, session } = rig.service.sessions.open(account.id)
  const order = { session, password: 'my own', formToken: 't1' }
  return { ...rig, ...rig.service, account, apiKey, id, session, order }
}

const issued = { kind: 'issued' }

test('with the right password a session gets a new key, once, and the old key is gone', async () => {
  const { accounts, keyPage, order, session, apiKey, storage } = signedIn()
  expect(await keyPage.issueKey(order)).toEqual(issued)
  const { apiKey: newKey = '' } = keyPage.takeIssuedKey(session) ?? {}
  expect(newKey).toMatch(/^[A-Za-z0-9]{40}$/)
  expect(keyPage.takeIssuedKey(session)).toBeUndefined()
  expect([accounts.findByKey(apiKey), accounts.findByKey(newKey)?.id]).toEqual([undefined, 1])
  expect(JSON.stringify(storage.records.dump())).not.toContain(newKey)
})

test('a new key is shown only to the session that ordered it', async () => {
  const { sessions, keyPage, order, account } = signedIn()
  const other = sessions.open(account.id).session
  await keyPage.issueKey(order)
  expect(keyPage.takeIssuedKey(other)).toBeUndefined()
  expect(keyPage.takeIssuedKey(order.session)).toBeDefined()
})

test('a form sent twice makes one key, at the same time or later', async () => {
  const { accounts, keyPage, order, session } = signedIn()
  expect(await Promise.all([keyPage.issueKey(order), keyPage.issueKey(order)])).toEqual([issued, issued])
  const { apiKey = '' } = keyPage.takeIssuedKey(session) ?? {}
  expect(await keyPage.issueKey(order)).toEqual(issued)
  expect([keyPage.takeIssuedKey(session), accounts.findByKey(apiKey)?.id]).toEqual([undefined, 1])
  expect(await keyPage.issueKey({ ...order, formToken: 't2' })).toEqual(issued)
  expect(accounts.findByKey(apiKey)).toBeUndefined()
})

test('an order without a form token makes a key each time', async () => {
  const { keyPage, order, session } = signedIn()
  const made = new Set<string | undefined>()
  for (let count = 0; count < 2; count += 1) {
    expect(await keyPage.issueKey({ session, password: order.password })).toEqual(issued)
    made.add(keyPage.takeIssuedKey(session)?.apiKey)
  }
  expect([made.size, made.has(undefined)]).toEqual([2, false])
})

test('a form with a wrong password can be sent again', async () => {
  const { keyPage, order, accounts, apiKey } = signedIn()
  expect(await keyPage.issueKey({ ...order, password: 'wrong' })).toEqual({ kind: 'wrong-password' })
  expect(accounts.findByKey(apiKey)).toBeDefined()
  expect(await keyPage.issueKey(order)).toEqual(issued)
})

test('wrong passwords of the sign-in and of the key page count together', async () => {
  const { keyPage, signIn, order, clock, account } = signedIn()
  const tryKey = (at: number) => keyPage.issueKey({ ...order, password: 'wrong', formToken: `wrong ${at}` })
  for (const at of [1, 2, 3]) expect(await tryKey(at)).toEqual({ kind: 'wrong-password' })
  const { email } = account
  for (const _ of [4, 5]) expect(await signIn({ email, password: 'wrong' })).toEqual({ kind: 'wrong' })
  const refused = { kind: 'too-many-attempts', retryAt: clock.now() + 60_000 }
  expect([await keyPage.issueKey(order), await signIn({ email, password: 'my own' })]).toEqual([refused, refused])
  await clock.advance(60_000)
  expect(await keyPage.issueKey(order)).toEqual(issued)
})

test('a new key is kept for 60 seconds of the service’s clock', async () => {
  const { keyPage, order, session, clock } = signedIn()
  await keyPage.issueKey(order)
  await clock.advance(59_999)
  expect(keyPage.takeIssuedKey(session)).toBeDefined()
  await keyPage.issueKey({ ...order, formToken: 't2' })
  await clock.advance(60_000)
  expect(keyPage.takeIssuedKey(session)).toBeUndefined()
})

test('a sign-out, and a replacement of the records, drop a new key', async () => {
  const { service, keyPage, order, session, sessions, id, account } = signedIn()
  await keyPage.issueKey(order)
  service.resume()
  expect(keyPage.takeIssuedKey(session)).toBeUndefined()
  await keyPage.issueKey({ ...order, formToken: 't2' })
  const renewed = sessions.open(account.id, id).session
  expect([keyPage.takeIssuedKey(session), keyPage.takeIssuedKey(renewed)]).toEqual([undefined, undefined])
})

test('a session that ends while its password is checked gets no key, and one that has ended no check', async () => {
  const { keyPage, order, sessions, id, accounts, apiKey } = signedIn()
  const answer = keyPage.issueKey(order)
  sessions.end(id)
  expect(await answer).toEqual({ kind: 'signed-out' })
  expect(await keyPage.issueKey(order)).toEqual({ kind: 'signed-out' })
  expect(accounts.findByKey(apiKey)).toBeDefined()
})

test('the key page knows when the key was made, and when and from where it was last used', async () => {
  const { keyPage, order, session, requests, clock, accounts } = signedIn()
  const madeAt = clock.now()
  expect(keyPage.keyFacts(1)).toEqual({ madeAt, isOwners: false, lastUse: null })
  await clock.advance(5_000)
  const lastUse = { at: clock.now(), clientIp: '10.0.0.7' }
  requests.append(request({ ...lastUse }))
  requests.append(request({ at: clock.now(), clientIp: '10.0.0.9', accountId: null, status: 401 }))
  requests.append(request({ at: clock.now(), clientIp: '10.0.0.8', accountId: accounts.create().account.id }))
  expect(keyPage.keyFacts(1)).toEqual({ madeAt, isOwners: false, lastUse })
  await clock.advance(5_000)
  await keyPage.issueKey(order)
  expect(keyPage.takeIssuedKey(session)).toMatchObject({ oldKeyLastUse: lastUse })
  expect(keyPage.keyFacts(1)).toEqual({ madeAt: clock.now(), isOwners: true, lastUse: null })
  expect(() => keyPage.keyFacts(9)).toThrow('There is no account 9')
})
