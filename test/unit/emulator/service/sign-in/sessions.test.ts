import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { serviceOn } from './service-parts.ts'

const dayMs = 24 * 3_600_000

/** A service with an account. */
function withAccount() {
  const { service, storage, clock } = serviceOn()
  const { sessions, accounts } = service
  const accountId = accounts.create().account.id
  const open = sessions.open.bind(sessions, accountId)
  return { sessions, accounts, accountId, clock, records: storage.records, open }
}

test('a session is found by its id alone, which is stored nowhere', () => {
  const { sessions, open, accountId, records } = withAccount()
  const { id, session } = open()
  expect(id).toMatch(/^[\w-]{43}$/)
  expect(sessions.find(id)).toEqual(session)
  expect(session).toMatchObject({ accountId, idHash: hash('sha256', id) })
  const dump = JSON.stringify(records.dump())
  expect([id, session.formSecret, session.idHash].map((text) => dump.includes(text))).toEqual([false, false, true])
  expect(open().id).not.toBe(id)
})

test('no session is found by an id that none has, and none ends by it', () => {
  const { sessions, open } = withAccount()
  const { id, session } = open()
  const others = ['', '__proto__', session.idHash, `${id}=`, `${id}\n`, 'ă'.repeat(43), 'a'.repeat(1_048_576)]
  for (const other of others) {
    expect(sessions.find(other)).toBeUndefined()
    sessions.end(other)
  }
  expect(sessions.isOpen(session)).toBe(true)
})

test('a session ends after 30 days of the service’s clock, and the next one sweeps it', async () => {
  const { sessions, open, clock, records } = withAccount()
  const { id } = open()
  await clock.advance(30 * dayMs - 1)
  expect(sessions.find(id)).toBeDefined()
  await clock.advance(1)
  expect(sessions.find(id)).toBeUndefined()
  open()
  expect(records.sessions.all().length).toBe(1)
})

test('with a hundred sessions of an account, the next ends the oldest and none of another account', async () => {
  const { sessions, open, accounts, clock, records } = withAccount()
  const other = sessions.open(accounts.create().account.id)
  const ids: string[] = []
  for (let count = 0; count < 103; count += 1) {
    await clock.advance(1_000)
    ids.push(open().id)
  }
  expect(ids.map((id) => sessions.find(id) !== undefined)).toEqual(ids.map((_id, at) => at >= 3))
  expect([records.sessions.all().length, sessions.isOpen(other.session)]).toEqual([101, true])
})

test('the sessions of a deleted account end, and none can be opened for it', async () => {
  const { sessions, open, accounts, accountId } = withAccount()
  const kept = sessions.open(accounts.create().account.id)
  const ended = [open(), open()]
  await accounts.remove(accountId)
  expect(ended.map(({ id }) => sessions.find(id))).toEqual([undefined, undefined])
  expect(sessions.find(kept.id)).toEqual(kept.session)
  expect(() => open()).toThrow(`There is no account ${accountId}`)
})
