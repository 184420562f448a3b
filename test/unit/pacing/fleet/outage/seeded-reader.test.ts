import { expect, test } from 'vitest'
import { createSeededReader } from '../../../../../src/pacing/fleet/cut-off-log.ts'
import { createLedgerFold } from '../../../../../src/pacing/quota-log/ledger-fold.ts'
import type { LedgerLine } from '../../../../../src/pacing/quota-log/ledger-line.ts'
import { createQuotaModel } from '../../../../../src/pacing/quota-model/quota-model.ts'
import { ownerOf } from './outage-rig.ts'

const noon = Date.UTC(2026, 0, 15, 12)

function request(id: string, at: number): readonly LedgerLine[] {
  return [
    { type: 'reserve', id, at, cost: 10, owner: ownerOf(1) },
    { type: 'settle', id, outcome: { type: 'unanswered', at } },
  ]
}

function usedAfter(lines: readonly LedgerLine[], seed: readonly LedgerLine[]) {
  const fold = createLedgerFold(() => createQuotaModel())
  const reader = createSeededReader(fold, seed)
  // A ledger reads its file once it is asked, and more of it later.
  reader.catchUp()
  for (const line of lines) reader.deliver(line)
  reader.catchUp()
  const { minute, hour } = fold.model().windows(noon)
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

test('what a file was told to forget is forgotten, and what the fleet has told is not', () => {
  const [open] = request('b', noon - 4_000)
  const lines: readonly LedgerLine[] = [...request('c', noon - 5_000), ...(open ? [open] : []), { type: 'forget' }]
  expect(usedAfter(lines, request('a', noon - 10_000))).toEqual([20, 20])
})

test('a request of before the end of the seed ends, though the file was told to forget while it was under way', () => {
  const [begun, ended] = request('b', noon - 12_000)
  const lines = [begun, { type: 'forget' }, ended].flatMap((line) => (line ? [line as LedgerLine] : []))
  const fold = createLedgerFold(() => createQuotaModel())
  const reader = createSeededReader(fold, request('a', noon - 10_000))
  for (const line of lines) reader.deliver(line)
  reader.catchUp()
  expect([...fold.inFlight.keys()]).toEqual([])
})
