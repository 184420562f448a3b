import { hash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock/virtual-clock.ts'
import { createSessions } from '../../../../../emulator/service/sign-in/sessions.ts'
import { openDurableStorage } from '../../../../../emulator/storage/durable-storage.ts'
import { emptyDump } from '../../../../../emulator/storage/records.ts'
import { createMemoryStorage, type Storage } from '../../../../../emulator/storage/storage.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { serviceOn } from './service-parts.ts'

const dayMs = 24 * 3_600_000

async function inFolder(folder = temporaryFolder()): Promise<Storage> {
  const storage = await openDurableStorage(folder)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= storage.close()
    return closed
  }
  onTestFinished(close)
  return { ...storage, close }
}

describe.each([
  ['in memory', async () => createMemoryStorage()],
  ['in a data folder', () => inFolder()],
])('sessions %s', (_, open) => {
  async function withAccount() {
    const rig = serviceOn(await open())
    return { ...rig, ...rig.service, id: rig.service.accounts.create().account.id, records: rig.storage.records }
  }

  test('a session is found by its id alone, which is stored nowhere', async () => {
    const { sessions, id: accountId, records, clock } = await withAccount()
    const { id, session } = sessions.open(accountId)
    expect(id).toMatch(/^[\w-]{43}$/)
    expect(sessions.find(id)).toEqual(session)
    expect(session).toMatchObject({ accountId, expiresAt: clock.now() + 30 * dayMs, idHash: hash('sha256', id) })
    const dump = JSON.stringify(records.dump())
    expect([dump.includes(id), dump.includes(session.formSecret), dump.includes(session.idHash)]).toEqual([
      false,
      false,
      true,
    ])
    expect(sessions.open(accountId).id).not.toBe(id)
  })

  test('no session is found by an id that none has, and none ends by it', async () => {
    const { sessions, id: accountId } = await withAccount()
    const { id, session } = sessions.open(accountId)
    const long = ['a'.repeat(43), 'ă'.repeat(43), '\0'.repeat(43), `${'a'.repeat(42)}=`, 'a'.repeat(1_048_576)]
    for (const other of ['', 'x', '__proto__', 'constructor', session.idHash, `${id}=`, `${id}\n`, ` ${id}`, ...long]) {
      expect(sessions.find(other)).toBeUndefined()
      sessions.end(other)
    }
    expect(sessions.isOpen(session)).toBe(true)
  })

  test('a session ends after 30 days of the service’s clock, and the next one sweeps it', async () => {
    const { sessions, id: accountId, clock, records } = await withAccount()
    const { id } = sessions.open(accountId)
    await clock.advance(30 * dayMs - 1)
    expect(sessions.find(id)).toBeDefined()
    await clock.advance(1)
    expect(sessions.find(id)).toBeUndefined()
    sessions.open(accountId)
    expect(records.sessions.all()).toHaveLength(1)
  })

  test('a sign-in gives another id, and the session that the browser had ends', async () => {
    const { sessions, id: accountId } = await withAccount()
    const before = sessions.open(accountId)
    const after = sessions.open(accountId, before.id)
    expect([sessions.find(before.id), sessions.find(after.id)]).toEqual([undefined, after.session])
    expect(after.session.formSecret).not.toBe(before.session.formSecret)
    sessions.end(after.id)
    expect(sessions.find(after.id)).toBeUndefined()
  })

  test('with a hundred sessions of an account, the next ends the oldest and none of another account', async () => {
    const { sessions, id: accountId, accounts, clock, records } = await withAccount()
    const other = sessions.open(accounts.create().account.id)
    const ids: string[] = []
    for (let count = 0; count < 103; count += 1) {
      await clock.advance(1_000)
      ids.push(sessions.open(accountId).id)
    }
    expect(ids.map((id) => sessions.find(id) !== undefined)).toEqual(ids.map((_id, at) => at >= 3))
    expect([records.sessions.all().length, sessions.isOpen(other.session)]).toEqual([101, true])
  })

  test('the sessions of a deleted account end, and none can be opened for it', async () => {
    const { sessions, accounts, id: accountId } = await withAccount()
    const other = accounts.create().account.id
    const kept = sessions.open(other)
    const ended = [sessions.open(accountId), sessions.open(accountId)]
    await accounts.remove(accountId)
    expect(ended.map(({ id }) => sessions.find(id))).toEqual([undefined, undefined])
    expect(sessions.find(kept.id)).toEqual(kept.session)
    expect(() => sessions.open(accountId)).toThrow(`There is no account ${accountId}`)
  })
})

test('a snapshot of the records signs the same browser in again, and a reset signs it out', () => {
  const clock = createVirtualClock()
  const one = serviceOn(createMemoryStorage(), { clock })
  const { id, session } = one.service.sessions.open(one.service.accounts.create().account.id)
  const other = serviceOn(createMemoryStorage(), { clock })
  other.storage.records.load(structuredClone(one.storage.records.dump()))
  expect(other.service.sessions.find(id)).toEqual(session)
  other.storage.records.load(emptyDump)
  expect(other.service.sessions.find(id)).toBeUndefined()
})

test('however a session ends, what is kept in memory for it is dropped', async () => {
  const { storage, clock, service } = serviceOn()
  const accountId = service.accounts.create().account.id
  const ended: string[] = []
  const { records } = storage
  const sessions = createSessions({ records, clock, onEnd: (idHash) => void ended.push(idHash) })
  const [out, renewed, expired] = [sessions.open(accountId), sessions.open(accountId), sessions.open(accountId)]
  sessions.end(out.id)
  const next = sessions.open(accountId, renewed.id)
  await clock.advance(30 * dayMs)
  const last = sessions.open(accountId)
  sessions.endAll(accountId)
  expect(ended).toEqual([out, renewed, ...[expired, next], last].map(({ session }) => session.idHash))
})

test('a session of a data folder lasts through a restart, and only its hash is in the database', async () => {
  const folder = temporaryFolder()
  const clock = createVirtualClock()
  const before = await inFolder(folder)
  const { service } = serviceOn(before, { clock })
  const { id, session } = service.sessions.open(service.accounts.create().account.id)
  await before.close()
  const after = serviceOn(await inFolder(folder), { clock }).service
  expect(after.sessions.find(id)).toEqual(session)
  after.sessions.end(id)
  expect(after.sessions.find(id)).toBeUndefined()
})
