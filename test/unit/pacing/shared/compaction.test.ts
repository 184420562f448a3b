import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PacingOutcome } from '../../../../src/pacing/pacer.ts'
import type { QuotaModelOptions } from '../../../../src/pacing/quota-model/quota-model.ts'
import type { QuotaRow } from '../../../../src/pacing/shared/quota-row.ts'
import { compactRows, rowForm } from '../../../../src/pacing/shared/quota-state.ts'
import { stateOf } from '../../../../src/pacing/shared/shared-ledger.ts'

const hour = 3_600_000
const minute = 60_000
const now = Date.parse('2026-11-20T12:00:00Z')
const run = 'run'

function request(id: string, at: number, outcome: PacingOutcome, cost = 10): readonly QuotaRow[] {
  return [
    { type: 'reserve', id, at, cost, run },
    { type: 'settle', id, outcome },
  ]
}

const answered = (at: number, status = 201, cost?: number): PacingOutcome => ({
  type: 'answered',
  at,
  status,
  report: cost === undefined ? {} : { cost },
})

test('compaction keeps the requests that wait, in their order, and none that was sent or left', () => {
  const place = (id: string): QuotaRow => ({ type: 'place', id, at: now, cost: 10, run })
  const rows = ['served', 'second', 'left', 'third'].map(place)
  const ended: readonly QuotaRow[] = [...request('served', now, { type: 'not-sent' }), { type: 'cancel', id: 'left' }]
  expect(compactRows([...rows, ...ended], now)).toEqual([place('second'), place('third')])
})

test('compaction keeps the rank of a place, and the cost that it was last given', () => {
  const place = (id: string, cost: number): QuotaRow => ({ type: 'place', id, at: now, cost, run })
  const rows = [place('first', 10), place('second', 1), place('first', 1)]
  expect(compactRows(rows, now)).toEqual([place('first', 1), place('second', 1)])
})

test('compaction leaves out requests that are older than any window, were not sent, or were cancelled', () => {
  const rows: readonly QuotaRow[] = [
    ...request('a', now - 49 * hour, answered(now - 49 * hour)),
    ...request('b', now, { type: 'not-sent' }),
    { type: 'reserve', id: 'c', at: now, cost: 10, run },
    { type: 'cancel', id: 'c' },
    { type: 'settle', id: 'never', outcome: answered(now) },
  ]
  expect(compactRows(rows, now)).toEqual([])
})

test('compaction makes old requests one charge of their minute, dated by the last of them, but keeps refusals and the newest', () => {
  const at = now - 5 * hour
  const refused = [
    ...request('x', at, { ...answered(at, 429), refusedBy: 'day' } as PacingOutcome),
    ...request('y', at, answered(at, 503)),
  ]
  const old = [
    ...request('a', at + 1_000, answered(at + 2_000, 201, 12)),
    ...request('b', at + 3_000, { type: 'unanswered', at: at + 50_000 }, 3),
    ...request('c', at + 4_000, answered(at + 5_000, 404, 0), 1),
    ...request('d', at + minute, answered(at + minute + 1)),
  ]
  const newest = Array.from({ length: 256 }, (_, index) => request(`${index}`, at + hour, answered(at + hour))).flat()
  expect(compactRows([...refused, ...old, ...newest], now)).toEqual([
    { type: 'charge', at: at + 50_000, cost: 16 },
    { type: 'charge', at: at + minute + 1, cost: 10 },
    ...refused,
    ...newest,
  ])
})

test('compaction reduces ten thousand requests of a day to the newest and one per earlier minute', () => {
  const requests = Array.from({ length: 10_000 }, (_, index) => {
    const at = now - (10_000 - index) * 8_640
    return request(String(index), at, answered(at + 1), 1)
  })
  const compact = rowForm.compact(requests.flat(), now)
  expect(compact.length).toBeLessThan(24 * 60 + 2 * 256)
  const units = compact.reduce((sum, row) => sum + ('cost' in row ? row.cost : 0), 0)
  expect(units).toBe(10_000)
})

/** One request of a busy account: `afterMs` the one before. */
const busyRequest = fc.record({
  afterMs: fc.constantFrom(0, 10, 300, 4_000, 70_000),
  tookMs: fc.constantFrom(5, 400),
  outcome: fc.constantFrom(
    ...(['alone', 'alone', 'alone', 'alone', 'shown', 'refused', 'unanswered', 'open'] as const),
  ),
})
/** How far the clock is set before one of them. */
const setClock = fc.record({ before: fc.nat(500), byMs: fc.constantFrom(0, -5_000, -3_600_000, 3_600_000) })

type Generated<Kind> = Kind extends fc.Arbitrary<infer Value> ? Value : never
type BusyRequests = readonly Generated<typeof busyRequest>[]
type SetClock = Generated<typeof setClock>

function busyRows(requests: BusyRequests, { before, byMs }: SetClock) {
  let at = now
  const rows = requests.flatMap(({ afterMs, tookMs, outcome }, index): readonly QuotaRow[] => {
    at += afterMs + (index === before ? byMs : 0)
    const whole = request(String(index), at, outcomes(at + tookMs)[outcome])
    return outcome === 'open' ? whole.slice(0, 1) : whole
  })
  return { rows, end: at + 400 }
}

const outcomes = (at: number): Readonly<Record<Generated<typeof busyRequest>['outcome'], PacingOutcome>> => ({
  alone: { ...answered(at), report: { cost: 10, isCostAlone: true } } as PacingOutcome,
  shown: { ...answered(at), report: { cost: 10, limit: 60, remaining: 50 } } as PacingOutcome,
  refused: answered(at, 429),
  unanswered: { type: 'unanswered', at },
  open: { type: 'unanswered', at },
})

test('a compacted ledger counts the units of a busy account in full, at most a minute longer where no clock was set back', () => {
  const check = (requests: BusyRequests, clock: SetClock) => {
    const { rows, end } = busyRows(requests, clock)
    const compacted = rowForm.compact(rows, end)
    const options: QuotaModelOptions = { limits: { day: 100_000 } }
    const [all, short] = [stateOf(rows, options), stateOf(compacted, options)]
    expect([...short.inFlight.keys()]).toEqual([...all.inFlight.keys()])
    const used = ({ model }: typeof all, at: number) => Object.values(model.windows(at)).map((window) => window.used)
    for (const later of [0, 8_000, 50_000, minute, hour - minute, hour, 23 * hour]) {
      const [exact, counted, after] = [
        used(all, end + later),
        used(short, end + later),
        used(short, end + later + minute),
      ]
      for (const [index, units] of exact.entries()) {
        expect(counted[index]).toBeGreaterThanOrEqual(units)
        if (clock.byMs >= 0) expect(after[index]).toBeLessThanOrEqual(units)
      }
    }
  }
  const requests = fc.array(busyRequest, { minLength: 260, maxLength: 500, size: 'max' })
  // To find a shorter list takes minutes.
  fc.assert(fc.property(requests, setClock, check), { endOnFailure: true })
})
