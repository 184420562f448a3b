import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRecords } from '../../../../emulator/storage/memory/memory-storage.ts'
import type { RecordStore } from '../../../../emulator/storage/record-store.ts'
import { emptyDump } from '../../../../emulator/storage/records.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { recordStoreSuite } from './record-store.suite.ts'
import { account, album, everything, request, session, upload } from './records.ts'
import { openRecords } from './sqlite.ts'

/** A step on a store; every store must return the same. */
type Step = (store: RecordStore) => unknown

const slug = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
const accountId = fc.integer({ min: 1, max: 3 })
const keyHash = fc.constantFrom('k', 'l', 'm')
const idHash = fc.constantFrom('i', 'j')
const small = fc.integer({ min: 0, max: 4 })
const thumbnail = fc.constantFrom(
  { state: 'none' } as const,
  { state: 'pending', dueAt: 7 } as const,
  { state: 'ready', blobId: 't', mimeType: 'image/jpeg', sizeBytes: 3 } as const,
)

const step = <Value>(values: fc.Arbitrary<Value>, take: (store: RecordStore, value: Value) => unknown) =>
  values.map(
    (value): Step =>
      (store) =>
        take(store, value),
  )

/** Without many of these, the others find nothing. */
const often = (arbitrary: fc.Arbitrary<Step>) => ({ arbitrary, weight: 8 })

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  step(fc.tuple(keyHash, small), ({ accounts }, [hash, feedViews]) =>
    accounts.insert(account({ keyHash: hash, feedViews })),
  ),
  step(fc.tuple(accountId, keyHash), ({ accounts }, [id, hash]) => accounts.update(id, { keyHash: hash })),
  step(accountId, ({ accounts }, id) => accounts.remove(id)),
  step(keyHash, ({ accounts }, hash) => accounts.findByKeyHash(hash)),
  step(fc.tuple(accountId, fc.uniqueArray(slug)), ({ albums }, [owner, uploads]) =>
    albums.insert(album('A', { accountId: owner, uploads })),
  ),
  step(fc.tuple(small, fc.uniqueArray(slug)), ({ albums }, [id, uploads]) => albums.update(id, { uploads })),
  step(small, ({ albums }, id) => albums.remove(id)),
  step(fc.tuple(accountId, slug), ({ albums }, [id, name]) => [
    albums.ofAccount(id),
    albums.count(id),
    new Set(albums.withUpload(name)),
  ]),
  step(fc.tuple(small, small), ({ uploads }, [until, limit]) => uploads.latest({ until, limit })),
  step(accountId, ({ requests }, id) => [
    requests.ofAccount(id).map(({ at, method, endpoint, status }) => [at, method, endpoint, status]),
    requests.lastOf(id)?.at,
  ]),
  step(fc.tuple(keyHash, small), ({ keyValues }, [name, value]) => {
    keyValues.set(name, { a: [value, null] })
    return keyValues.get(name)
  }),
  often(
    step(fc.tuple(slug, accountId, small, thumbnail), ({ uploads }, [name, owner, createdAt, state]) =>
      uploads.insert(upload(name, { accountId: owner, createdAt, thumbnail: state })),
    ),
  ),
  step(fc.tuple(slug, small, thumbnail), ({ uploads }, [name, views, state]) =>
    uploads.update(name, { views: 2 * views, indirectViews: views, thumbnail: state }),
  ),
  step(slug, ({ uploads }, name) => uploads.remove(name)),
  step(accountId, ({ uploads }, id) => uploads.removeAll(id)),
  step(fc.tuple(accountId, small, small), ({ uploads }, [id, offset, limit]) => uploads.newest(id, { offset, limit })),
  step(accountId, ({ uploads, requests }, id) => [uploads.totals(id), requests.count(id), requests.dropped()]),
  often(
    step(fc.tuple(fc.option(accountId), small), ({ requests }, [id, cost]) =>
      requests.append(request({ accountId: id, cost })),
    ),
  ),
  step(small, ({ requests }, cost) => requests.remove((logged) => logged.cost === cost)),
  fc.constant<Step>(({ requests }) => [...requests.all()]),
  step(fc.tuple(keyHash, small), ({ quotas }, [hash, units]) => {
    const day = { kind: 'fixed', startedAt: 0, units } as const
    quotas.set(hash, { day })
  }),
  step(keyHash, ({ quotas }, hash) => [quotas.get(hash), quotas.delete(hash)]),
  step(fc.tuple(idHash, accountId, small), ({ sessions }, [hash, owner, openedAt]) => {
    sessions.set(hash, session({ idHash: hash, accountId: owner, openedAt }))
  }),
  step(idHash, ({ sessions }, hash) => [sessions.get(hash), sessions.delete(hash)]),
  fc.constant<Step>((store) => {
    const dump = structuredClone(store.dump())
    store.load(emptyDump)
    expect(store.dump()).toEqual(emptyDump)
    store.load(dump)
    expect(store.dump()).toEqual(dump)
  }),
)

/** Everything in a store, in a fixed order. */
function contents(store: RecordStore) {
  const { quotas, droppedRequests, ...dump } = store.dump()
  const pages = [1, 2, 3].map((id) => store.uploads.newest(id, everything))
  const due = store.uploads.awaitingThumbnail().map(({ id }) => id)
  const sums = [1, 2, 3].map((id) => [store.uploads.totals(id), store.requests.count(id), store.albums.count(id)])
  const sets = { due: new Set(due), quotas: new Set(quotas), droppedRequests: new Set(droppedRequests) }
  return { ...dump, pages, sums, ...sets }
}

recordStoreSuite('memory', async (limits) => createMemoryRecords(limits))

test('memory and database answer the same to any steps, also after a kill and after reopening', async () => {
  const path = join(temporaryFolder(), 'records.db')
  const killed = join(temporaryFolder(), 'records.db')
  let stored = await openRecords(path, { maxKept: 5 })
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60, size: 'max' }), async (steps) => {
      const memory = createMemoryRecords({ maxKept: 5 })
      stored.load(emptyDump)
      for (const step of steps) {
        await stored.flushed()
        expect(step(stored)).toEqual(step(memory))
      }
      await stored.flushed()
      expect(contents(stored)).toEqual(contents(memory))
      // Not by this process: a file that it closed would lose its lock.
      for (const end of ['', '-wal', '-turns']) execFileSync('cp', [`${path}${end}`, `${killed}${end}`])
      const after = await openRecords(killed, { maxKept: 5 })
      expect(contents(after)).toEqual(contents(memory))
      await after.close()
      await stored.close()
      stored = await openRecords(path, { maxKept: 5 })
      expect(contents(stored)).toEqual(contents(memory))
    }),
    { numRuns: 60 },
  )
})
