import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMemoryStorage } from '../../../../emulator/storage/open.ts'
import { emptyDump } from '../../../../emulator/storage/record-types.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { openFolder } from './opened.ts'
import { createRecordModel, type RecordModel } from './record-model.ts'
import { recordStoreSuite } from './record-store.suite.ts'
import { account, everything, request, session, upload } from './records.ts'

/** A step on a store, which must return the same as the model. */
type Step = (store: RecordModel) => unknown

const slug = fc.constantFrom('a', 'b', 'B', 'c', 'd', 'e', 'f')
const accountId = fc.integer({ min: 1, max: 3 })
const keyHash = fc.constantFrom('k', 'l', 'm')
const idHash = fc.constantFrom('i', 'j')
const small = fc.integer({ min: 0, max: 4 })
const thumbnail = fc.constantFrom(
  { state: 'none' } as const,
  { state: 'pending', dueAt: 7 } as const,
  { state: 'ready', blobId: 't', mimeType: 'image/jpeg', sizeBytes: 3 } as const,
)

const step = <Value>(values: fc.Arbitrary<Value>, take: (store: RecordModel, value: Value) => unknown) =>
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
  step(accountId, ({ requests }, id) => [
    requests.select({ where: 'accountId = ?', values: [id] }),
    requests.select({ where: 'accountId = ?', values: [id], limit: 1 }),
  ]),
  step(fc.tuple(small, small, small), ({ requests }, [after, span, limit]) => [
    requests.select({ after, before: after + span, limit: limit + 1 }),
    requests.select({ after, where: 'cost = ?', values: [limit] }),
    requests.sum({ after, where: 'cost = ?', values: [span] }),
    requests.get(after),
  ]),
  step(fc.tuple(keyHash, small), ({ notes }, [name, value]) => {
    notes.set(name, { a: [value, null] })
    return notes.get(name)
  }),
  often(
    step(fc.tuple(slug, accountId, small, thumbnail), ({ uploads }, [name, owner, createdAt, state]) =>
      uploads.insert(upload(name, { accountId: owner, createdAt, thumbnail: state, sha256: name.toLowerCase() })),
    ),
  ),
  step(fc.tuple(slug, small, thumbnail), ({ uploads }, [name, views, state]) =>
    uploads.update(name, { views: 2 * views, indirectViews: views, thumbnail: state }),
  ),
  step(slug, ({ uploads }, name) => uploads.remove(name)),
  step(accountId, ({ uploads }, id) => new Set(uploads.removeAll(id))),
  step(fc.tuple(accountId, small, small), ({ uploads }, [id, offset, limit]) => uploads.newest(id, { offset, limit })),
  step(accountId, ({ uploads, requests }, id) => [
    uploads.totals(id),
    requests.logged(id),
    requests.state().kept,
    requests.state().dropped,
  ]),
  often(
    step(fc.tuple(fc.option(accountId), small), ({ requests }, [id, cost]) =>
      requests.append(request({ accountId: id, cost })),
    ),
  ),
  step(small, ({ requests }, cost) => requests.remove({ where: 'cost = ?', values: [cost] })),
  fc.constant<Step>(({ requests }) => requests.select()),
  step(fc.tuple(accountId, small), ({ requests }, [id, units]) => {
    const day = { kind: 'fixed', startedAt: 0, units } as const
    requests.saveCharge(id, units === 0 ? {} : { day })
  }),
  step(accountId, ({ requests }, id) => requests.chargeOf(id)),
  step(fc.tuple(accountId, slug, small), ({ uploads }, [id, name, since]) => [
    uploads.findAlike(id, name)?.id,
    uploads.findContent(id, name, 10)?.id,
    uploads.countLater(id, since),
    uploads.blobIds(),
  ]),
  step(fc.tuple(idHash, accountId, small), ({ sessions }, [hash, owner, openedAt]) => {
    const others = sessions.all().filter((one) => one.idHash !== hash)
    sessions.replace([...others, session({ idHash: hash, accountId: owner, openedAt })])
  }),
  step(idHash, ({ sessions }, hash) => {
    sessions.replace(sessions.all().filter((one) => one.idHash !== hash))
    return sessions.all()
  }),
  fc.constant<Step>((store) => {
    const dump = structuredClone(store.dump())
    store.load(emptyDump)
    expect(store.dump()).toEqual(emptyDump)
    store.load(dump)
    expect(store.dump()).toEqual(dump)
  }),
)

/** Everything in a store, in a fixed order. */
function contents(store: RecordModel) {
  const { quotas, droppedRequests, ...dump } = store.dump()
  const pages = [1, 2, 3].map((id) => store.uploads.newest(id, everything))
  const due = store.uploads.awaitingThumbnail()
  const sums = [1, 2, 3].map((id) => [store.uploads.totals(id), store.requests.logged(id)])
  return { ...dump, due, pages, sums, quotas: new Set(quotas), droppedRequests: new Set(droppedRequests) }
}

recordStoreSuite('memory', async (limits) => openMemoryStorage(limits).records)
recordStoreSuite('a folder', async (limits) => (await openFolder(temporaryFolder(), limits)).records)

test('stores in memory and in a folder do what the model does, in any order, also after a kill and after reopening', async () => {
  const [folder, killed] = [temporaryFolder(), temporaryFolder()]
  const limits = { maxKept: 5 }
  const memory = openMemoryStorage(limits).records
  let stored = await openFolder(folder, limits)
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60, size: 'max' }), async (steps) => {
      const model = createRecordModel(5)
      stored.records.load(emptyDump)
      memory.load(emptyDump)
      for (const step of steps) {
        await stored.records.turns.flushed()
        const expected = step(model)
        expect(step(memory)).toEqual(expected)
        expect(step(stored.records)).toEqual(expected)
      }
      await stored.records.turns.flushed()
      expect(contents(memory)).toEqual(contents(model))
      expect(contents(stored.records)).toEqual(contents(model))
      // Not by this process: a file that it closed would lose its lock.
      execFileSync('sh', ['-c', 'rm -rf "$2" && cp -r "$1" "$2"', 'sh', folder, killed])
      const after = await openFolder(killed, limits)
      expect(contents(after.records)).toEqual(contents(model))
      await after.close()
      await stored.close()
      stored = await openFolder(folder, limits)
      expect(contents(stored.records)).toEqual(contents(model))
    }),
    { numRuns: 20 },
  )
})
