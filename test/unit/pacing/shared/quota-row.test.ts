import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { QuotaRow } from '../../../../src/pacing/shared/quota-row.ts'
import { rowForm } from '../../../../src/pacing/shared/quota-state.ts'

const run = 'cmFuZG9tLXJ1'
const at = Date.parse('2026-11-20T12:00:00Z')

const rows: readonly QuotaRow[] = [
  { type: 'reserve', id: 'x-1', at, cost: 10, run },
  { type: 'reserve', id: 'x-2', at: at + 0.25, cost: 1, run: '' },
  { type: 'place', id: 'x-4', at, cost: 10, run },
  { type: 'cancel', id: 'x-1' },
  { type: 'charge', at, cost: 120 },
  { type: 'settle', id: 'x-1', outcome: { type: 'not-sent' } },
  { type: 'settle', id: 'x-1', outcome: { type: 'unanswered', at } },
  {
    type: 'settle',
    id: 'x-1',
    outcome: {
      type: 'answered',
      at,
      status: 201,
      report: { limit: 60, remaining: 50, resetAt: at + 60_000, cost: 10, serverNow: at },
    },
  },
  {
    type: 'settle',
    id: 'x-1',
    outcome: { type: 'answered', at, status: 429, report: {}, refusedBy: 'hour', holdMs: 3_600_250 },
  },
  { type: 'settle', id: 'x-1', outcome: { type: 'answered', at, status: 200, report: { cost: 1, isCostAlone: true } } },
]

test.each(rows)('the written row %j is read back as it was', (row) => {
  expect(rowForm.parse(rowForm.format(row))).toEqual(row)
})

test.each([
  '',
  'null',
  '[]',
  '{"type":"reserve","id":"x","at":1,"cost":1}',
  '{"type":"reserve","id":7,"at":1,"cost":1,"run":{}}',
  '{"type":"place","id":"x","at":1,"cost":-1,"run":"x"}',
  '{"type":"settle","id":"x"}',
  '{"type":"settle","id":"x","outcome":{"type":"answered","at":1}}',
  '{"type":"settle","id":"x","outcome":{"type":"unanswered","at":null}}',
  '{"type":"later","id":"x"}',
  '{"type":"start"}',
])('%s is not read', (text) => {
  expect(rowForm.parse(text)).toBeUndefined()
})

test('what another version wrote into a field that may be absent does not count, and the rest of the row does', () => {
  const told = { type: 'answered', at, status: 429, holdMs: 250 }
  const row = { type: 'settle', id: 'x-1', outcome: { ...told, report: { cost: '1' }, refusedBy: 'year' } }
  expect(rowForm.parse(JSON.stringify(row))).toEqual({ ...row, outcome: { ...told, report: {} } })
})

test('no text makes the parser of rows throw', () => {
  const texts = fc.oneof(fc.string(), fc.json())
  fc.assert(fc.property(texts, (text) => void rowForm.parse(text)))
})
