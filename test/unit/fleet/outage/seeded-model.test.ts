import { expect, test } from 'vitest'
import { createSeededModel } from '../../../../src/fleet/seeded-model.ts'
import type { LedgerEntry } from '../../../../src/pacing/ledger.ts'
import { createQuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'

const noon = Date.UTC(2026, 0, 15, 12)

function request(id: string, at: number): readonly LedgerEntry[] {
  return [
    { type: 'reserve', id, at, cost: 10 },
    { type: 'settle', id, outcome: { type: 'unanswered', at } },
  ]
}

function usedAfter(entries: readonly LedgerEntry[], seed: readonly LedgerEntry[]) {
  const model = createSeededModel(() => createQuotaModel(), seed)
  // A ledger reads its file once it is asked, and more of it later.
  model.windows(noon)
  for (const entry of entries) model.apply(entry)
  const { minute, hour } = model.windows(noon)
  return [minute?.used, hour?.used]
}

test('a request that the fleet has told of counts once, though a file tells of it, too', () => {
  expect(usedAfter(request('a', noon - 10_000), request('a', noon - 10_000))).toEqual([10, 10])
})

test("a file's request of half an hour ago counts at its date, and leaves the dates of the fleet's requests alone", () => {
  expect(usedAfter(request('b', noon - 1_800_000), request('a', noon - 10_000))).toEqual([10, 20])
})

test("requests later than the fleet's count in the order of the file", () => {
  const later = [...request('b', noon - 5_000), ...request('c', noon - 2_000)]
  expect(usedAfter(later, request('a', noon - 10_000))).toEqual([30, 30])
})
