import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryRecords } from '../../../../emulator/storage/memory/memory-records.ts'
import type { RecordStore } from '../../../../emulator/storage/record-store.ts'
import { emptyDump } from '../../../../emulator/storage/records.ts'
import { account, everything, request, upload } from './records.ts'
import { openRecords, sqlites, temporaryFolder } from './sqlite.ts'

/** A step on a store; every store must return the same. */
type Step = (store: RecordStore) => unknown

const slug = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
const accountId = fc.integer({ min: 1, max: 3 })
const keyHash = fc.constantFrom('k', 'l', 'm')
const small = fc.integer({ min: 0, max: 4 })
const thumbnail = fc.constantFrom(
  { state: 'none' } as const,
  { state: 'pending', dueAt: 7 } as const,
  { state: 'ready', blobId: 't', mimeType: 'image/jpeg', sizeBytes: 3 } as const,
)

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(keyHash, small).map(
    ([hash, albums]): Step =>
      (store) =>
        store.accounts.insert(account({ keyHash: hash, albums })),
  ),
  fc.tuple(accountId, keyHash).map(
    ([id, hash]): Step =>
      (store) =>
        store.accounts.update(id, { keyHash: hash }),
  ),
  accountId.map(
    (id): Step =>
      (store) =>
        store.accounts.remove(id),
  ),
  keyHash.map(
    (hash): Step =>
      (store) =>
        store.accounts.findByKeyHash(hash),
  ),
  fc.tuple(slug, accountId, small, thumbnail).map(
    ([name, owner, createdAt, state]): Step =>
      (store) =>
        store.uploads.insert(upload(name, { accountId: owner, createdAt, thumbnail: state })),
  ),
  fc.tuple(slug, small, thumbnail).map(
    ([name, views, state]): Step =>
      (store) =>
        store.uploads.update(name, { views, thumbnail: state }),
  ),
  slug.map(
    (name): Step =>
      (store) =>
        store.uploads.remove(name),
  ),
  accountId.map(
    (id): Step =>
      (store) =>
        store.uploads.removeAll(id),
  ),
  fc.tuple(accountId, small, small).map(
    ([id, offset, limit]): Step =>
      (store) =>
        store.uploads.newest(id, { offset, limit }),
  ),
  accountId.map(
    (id): Step =>
      (store) => [store.uploads.totals(id), store.requests.count(id), store.requests.dropped()],
  ),
  fc.tuple(fc.option(accountId), small).map(
    ([id, cost]): Step =>
      (store) =>
        store.requests.append(request({ accountId: id, cost })),
  ),
  small.map(
    (cost): Step =>
      (store) =>
        store.requests.remove((logged) => logged.cost === cost),
  ),
  fc.constant<Step>((store) => [...store.requests.all()]),
  fc.tuple(keyHash, small).map(
    ([hash, units]): Step =>
      (store) => {
        const day = { kind: 'fixed', startedAt: 0, units } as const
        store.quotas.put(hash, { day })
      },
  ),
  keyHash.map(
    (hash): Step =>
      (store) => [store.quotas.get(hash), store.quotas.remove(hash)],
  ),
  fc.constant<Step>((store) => store.load(structuredClone(store.dump()))),
)

/** Everything in a store, in a fixed order. */
function contents(store: RecordStore) {
  const { quotas, droppedRequests, ...dump } = store.dump()
  const pages = [1, 2, 3].map((id) => store.uploads.newest(id, everything))
  const due = store.uploads.awaitingThumbnail().map(({ id }) => id)
  return { ...dump, pages, due: new Set(due), quotas: new Set(quotas), droppedRequests: new Set(droppedRequests) }
}

describe.each(sqlites)('memory and %s', (_, open) => {
  test('memory and database answer the same to any steps, also after reopening', async () => {
    const path = join(temporaryFolder(), 'records.db')
    let stored = await openRecords(open, path, { maxKept: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
        const memory = createMemoryRecords({ maxKept: 5 })
        stored.load(emptyDump)
        for (const step of steps) expect(step(stored)).toEqual(step(memory))
        expect(contents(stored)).toEqual(contents(memory))
        await stored.close()
        stored = await openRecords(open, path, { maxKept: 5 })
        expect(contents(stored)).toEqual(contents(memory))
      }),
      { numRuns: 60 },
    )
  })
})
