import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../../../src/pacing/ledger.ts'
import type { PacingOutcome } from '../../../../src/pacing/pacer.ts'
import { QuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { type WindowName, windowLengthMs, windowNames } from '../../../../src/protocol/rate-limits.ts'

const start = Date.parse('2026-11-20T12:00:30Z')
const noLimits = { burst: null, minute: null, hour: null, day: null }
let ids = 0

function reserve(model: QuotaModel, at: number, cost = 10): string {
  ids += 1
  model.apply({ type: 'reserve', id: String(ids), at, cost })
  return String(ids)
}

type Answered = PacingOutcome & { readonly type: 'answered' }

function answered(at: number, more: Partial<Answered> = {}): PacingOutcome {
  return { type: 'answered', at, status: 201, report: { serverNow: Math.floor(at / 1_000) * 1_000 }, ...more }
}

/** Sends a request that is answered half a second later. */
function send(model: QuotaModel, at: number, more: Partial<Answered> = {}, cost = 10): void {
  const id = reserve(model, at, cost)
  model.apply({ type: 'settle', id, outcome: answered(at + 500, more) })
}

const refusal = (refusedBy: WindowName | undefined, holdMs: number | undefined) => ({ status: 429, refusedBy, holdMs })

/** How long after `from` a request may be sent; undefined where that depends on a request under way. */
function waitMs(verdict: Verdict, from: number): number | undefined {
  if (verdict.type === 'now') return 0
  return verdict.at === undefined ? undefined : Math.round(verdict.at - from)
}

test('a window counts a request from its answer on, for its length and a second more', () => {
  const model = new QuotaModel({ limits: { ...noLimits, minute: 10 } })
  send(model, start, { report: { remaining: 0, limit: 10, serverNow: start } })
  send(model, start + 70_000, { report: { remaining: 0, limit: 10, serverNow: start + 70_000 } })
  expect(waitMs(model.verdict(10, start + 80_000), start + 70_500)).toBeGreaterThanOrEqual(61_000)
  expect(waitMs(model.verdict(10, start + 80_000), start + 70_500)).toBeLessThan(120_000)
})

test('a window is full while the requests that fill it are under way, however long that takes', () => {
  const model = new QuotaModel()
  reserve(model, start)
  reserve(model, start)
  expect(model.verdict(10, start + 3_600_000)).toMatchObject({ type: 'later', at: undefined, window: 'burst' })
  expect(model.verdict(1, start + 3_600_000)).toMatchObject({ type: 'later', at: undefined, window: 'burst' })
})

test('a window forgets requests that were not sent, and counts those that were not answered', () => {
  const model = new QuotaModel()
  const ids = [reserve(model, start), reserve(model, start)]
  model.apply({ type: 'settle', id: ids[0] ?? '', outcome: { type: 'not-sent' } })
  expect(model.verdict(10, start)).toEqual({ type: 'now' })
  model.apply({ type: 'cancel', id: ids[1] ?? '' })
  expect(model.windows(start)).toMatchObject({ burst: { used: 0, remaining: 20 } })
  model.apply({ type: 'settle', id: reserve(model, start), outcome: { type: 'unanswered', at: start + 1_000 } })
  expect(model.windows(start + 2_000)).toMatchObject({ day: { used: 10, remaining: 9_990 } })
})

test('a window with a limit below a request’s cost lets the request through alone', () => {
  const model = new QuotaModel({ limits: { ...noLimits, burst: 5 } })
  expect(model.verdict(10, start)).toEqual({ type: 'now' })
  send(model, start)
  expect(model.verdict(10, start + 1_000)).toMatchObject({ type: 'later', window: 'burst' })
})

test.each([
  [{ limits: { burst: 5 } }, 'burst'],
  [{ limits: { day: 5, hour: null } }, 'day'],
] as const)('a request that can never fit is named with its window: %j', (options, window) => {
  const model = new QuotaModel(options)
  expect(model.neverFits(10)).toEqual({ window, units: 10, limit: 5 })
  expect(model.neverFits(5)).toBeUndefined()
})

test('a request fits once the service has charged less for it, or has accepted it at a higher price', () => {
  const cheap = new QuotaModel({ limits: { burst: 5 } })
  send(cheap, start, { report: { cost: 4 } })
  expect(cheap.neverFits(10)).toBeUndefined()
  const dear = new QuotaModel()
  send(dear, start, { report: { cost: 30 } })
  expect(dear.neverFits(10)).toBeUndefined()
})

test('Remaining below the cost holds a request back for a minute, even without limits', () => {
  for (const model of [new QuotaModel(), new QuotaModel({ limits: noLimits })]) {
    send(model, start, { report: { limit: 60, remaining: 5 } }, 1)
    expect(waitMs(model.verdict(10, start + 600), start + 500)).toBeGreaterThanOrEqual(60_000)
    expect(model.verdict(10, start + 200_000)).toEqual({ type: 'now' })
  }
})

test('Reset ends the minute for a model without limits', () => {
  const model = new QuotaModel({ limits: noLimits })
  send(model, start, { report: { limit: 60, remaining: 0, serverNow: start, resetAt: start + 20_000 } })
  expect(waitMs(model.verdict(10, start + 600), start + 500)).toBe(21_000)
})

test.each([
  ['a lower Limit replaces that of the minute', 30, 20, 30],
  ['a Limit that belongs to another window changes nothing', 20, 0, 60],
])('%s', (_, limit, remaining, believed) => {
  const model = new QuotaModel()
  send(model, start, { report: { limit, remaining } })
  expect(model.windows(start + 1_000)).toMatchObject({ minute: { limit: believed, used: 10 } })
})

test('Cost replaces the price, except 0, more than the minute allows, and the Cost of a failure', () => {
  const model = new QuotaModel()
  send(model, start, { report: { cost: 4 } })
  send(model, start + 1_000, { report: { cost: 0 } })
  send(model, start + 2_000, { status: 422, report: { cost: 1 } })
  send(model, start + 3_000, { report: { cost: 61 } })
  expect(model.windows(start + 4_000)).toMatchObject({ day: { used: 16 } })
})

test('of several windows without room the one that frees last decides', () => {
  const model = new QuotaModel({ limits: { ...noLimits, minute: 20, hour: 40 } })
  for (const at of [0, 500, 7_190_000, 7_190_500]) send(model, start + at, { report: {} })
  expect(model.verdict(10, start + 7_192_000)).toMatchObject({ type: 'later', window: 'minute' })
})

test('an answer says nothing of the service where the clock was set while its request was under way', () => {
  const model = new QuotaModel()
  const underWay = reserve(model, start)
  const at = start - 10_000
  reserve(model, at, 1)
  model.apply({
    type: 'settle',
    id: underWay,
    outcome: answered(start + 500, { report: { limit: 30, remaining: 20 } }),
  })
  expect(model.windows(start + 1_000).minute?.limit).toBe(60)
})

test('what others did shortly before a question, and told after it, proves as much', () => {
  const model = new QuotaModel({ limits: { ...noLimits, minute: 60, hour: 20 } })
  const report = { limit: 60, remaining: 50 }
  send(model, start, { report: { ...report, serverNow: start } })
  model.verdict(1, start + 70_000)
  send(model, start + 67_000, { report: { ...report, serverNow: start + 67_000 } })
  // In a sliding counter the hour before would still count.
  expect(model.verdict(10, start + 3_610_000)).toEqual({ type: 'now' })
})

test('use by others is charged to every window', () => {
  const model = new QuotaModel()
  send(model, start, { report: { limit: 60, remaining: 10 } })
  expect(model.windows(start + 1_000)).toMatchObject({ minute: { used: 50 }, hour: { used: 50 } })
})

describe('after a 429', () => {
  const model = new QuotaModel()
  send(model, start, refusal('burst', 7_000))

  test('no request of any cost goes before Retry-After and a quarter second are over', () => {
    expect(model.verdict(1, start + 1_000)).toEqual({
      type: 'later',
      at: start + 500 + 7_250,
      window: 'burst',
      source: 'retry-after',
    })
  })

  test('the refused request counts, because the service may have charged it', () => {
    expect(model.windows(start + 1_000)).toMatchObject({ burst: { used: 10 }, day: { used: 10 } })
  })

  test('the longest wait counts of requests that are refused together', () => {
    const both = new QuotaModel()
    const [one, other] = [reserve(both, start), reserve(both, start)]
    both.apply({ type: 'settle', id: one, outcome: answered(start + 500, refusal('hour', 60_000)) })
    both.apply({ type: 'settle', id: other, outcome: answered(start + 600, refusal('burst', 1_000)) })
    expect(both.verdict(1, start + 1_000)).toMatchObject({ at: start + 60_750, window: 'hour' })
  })

  test('a wait without Retry-After is a guess, twice as long after the next refusal, and as at first once a request was not refused', () => {
    const met = new QuotaModel()
    const waits = [0, 20_000, 40_000, 60_000].map((ms) => {
      send(met, start + ms, ms === 40_000 ? {} : refusal('burst', undefined))
      const verdict = met.verdict(1, start + ms + 500)
      return [waitMs(verdict, start + ms + 500), 'source' in verdict && verdict.source]
    })
    expect([waits[0], waits[1], waits[3]]).toEqual([5_250, 10_250, 5_250].map((ms) => [ms, 'guess']))
  })

  test('one request goes at a time until one is not refused', () => {
    const probedAt = start + 7_750
    expect(model.verdict(10, probedAt)).toEqual({ type: 'now' })
    const probe = reserve(model, probedAt)
    expect(model.verdict(1, probedAt)).toMatchObject({ type: 'later', at: undefined, source: 'retry-after' })
    model.apply({ type: 'settle', id: probe, outcome: answered(probedAt + 100) })
    expect(model.verdict(1, probedAt + 30_000)).toEqual({ type: 'now' })
  })

  test('a dearer request than the refused one waits until the refusing window has room for it', () => {
    const cheap = new QuotaModel()
    send(cheap, start)
    send(cheap, start)
    send(cheap, start + 600, refusal('burst', 2_000), 1)
    expect(cheap.verdict(1, start + 3_400)).toEqual({ type: 'now' })
    expect(waitMs(cheap.verdict(10, start + 3_400), start)).toBeGreaterThan(10_000)
  })

  test('the success of a request sent before the refusal does not end the wait', () => {
    const late = new QuotaModel()
    const before = reserve(late, start)
    send(late, start, refusal('hour', 60_000))
    late.apply({ type: 'settle', id: before, outcome: answered(start + 1_000) })
    expect(late.verdict(1, start + 2_000)).toMatchObject({ at: start + 60_750, window: 'hour' })
  })

  /** The limit believed at each of so many steps after a refusal. */
  const believedAfter = (model: QuotaModel, name: WindowName, stepMs: number, steps: number) =>
    Array.from({ length: steps }, (_, step) => model.windows(start + 6_000 + step * stepMs)[name]?.believed?.limit)

  test('the use at a refusal of the hour is believed as its limit, and a quarter more after each clean hour', () => {
    const hourly = new QuotaModel()
    for (let count = 0; count < 40; count += 1) send(hourly, start - 10_000 + count)
    send(hourly, start + 5_000, refusal('hour', 10_000))
    expect(believedAfter(hourly, 'hour', 3_600_000, 6)).toEqual([400, 500, 625, 781, 976, undefined])
    expect(hourly.windows(start + 6_000).hour).toMatchObject({
      limit: 1_000,
      believed: { until: start + 5_500 + 3_600_000, reason: 'refusal' },
      remaining: 0,
    })
  })

  test('use by others restarts the 40 s of the burst', () => {
    const met = new QuotaModel()
    send(met, start, refusal('burst', 1_000))
    send(met, start + 25_000, { report: { limit: 60, remaining: 10 } })
    const believed = (seconds: number) => met.windows(start + 25_500 + seconds * 1_000).burst?.believed?.limit
    expect([0, 19, 20, 39, 40].map(believed)).toEqual([10, 10, 15, 15, undefined])
  })

  test('each refusal of the burst within two hours of another quadruples the length of a step', () => {
    const met = new QuotaModel()
    const refuseAt = (seconds: number) => {
      send(met, start + seconds * 1_000 - 500, refusal('burst', 1_000))
      return (met.windows(start + seconds * 1_000).burst?.believed?.until ?? 0) - start - seconds * 1_000
    }
    const stepsMs = [100, 3_600, 7_200, 10_800, 14_400, 21_601].map(refuseAt)
    expect(stepsMs).toEqual([20_000, 80_000, 320_000, 1_280_000, 3_600_000, 20_000])
  })

  test.each([
    ['is not treated as a counter after a refusal that our own use cannot explain', 60_000, false],
    ['is treated as a counter for a day after a refusal that our own use would explain', 4_000, true],
  ])('a burst %s', (_, agoMs, isSuspect) => {
    const model = new QuotaModel()
    // Ten seconds before the end of the clock's minute and two seconds after it: no counter shows so little.
    for (const ago of [100_000, 88_000]) {
      send(model, start - ago, { report: { limit: 60, remaining: 50, serverNow: start - ago } })
    }
    send(model, start - agoMs - 1_000, { report: {} })
    send(model, start - agoMs, { report: {} })
    send(model, start, refusal('burst', 1_000))
    const at = start + 150_000
    send(model, at, { report: {} })
    send(model, at + 1_000, { report: {} })
    // After a burst and its margin a log is empty, and a counter is not.
    expect(model.verdict(10, at + 12_600).type).toBe(isSuspect ? 'later' : 'now')
  })

  test('a believed limit is never below the cost of an upload, unless the limit itself is', () => {
    for (const name of windowNames) {
      const met = new QuotaModel({ limits: { [name]: 20 } })
      send(met, start, refusal(name, 1_000), 1)
      expect(met.windows(start + 600)[name]).toMatchObject({ limit: 20, believed: { limit: 10 } })
    }
    const small = new QuotaModel({ limits: { burst: 5 } })
    send(small, start, refusal('burst', 1_000), 1)
    expect(small.windows(start + 600).burst?.believed).toBeUndefined()
  })

  test.each(windowNames)('a configured limit of the %s is doubted for one window', (name) => {
    const met = new QuotaModel({ limits: { [name]: 40 } })
    send(met, start, refusal(name, 1_000), 1)
    const until = start + 500 + windowLengthMs[name]
    expect(met.windows(until - 1)[name]?.believed).toMatchObject({ until })
    expect(met.windows(until)[name]?.believed).toBeUndefined()
  })

  test('a model without limits waits as long as a refusal says, and no longer', () => {
    for (const [window, holdMs] of [
      ['burst', 10_000],
      ['minute', 5_000],
    ] as const) {
      const unpredicted = new QuotaModel({ limits: noLimits })
      const told = { limit: 60, remaining: 40, serverNow: start, resetAt: start + 55_000 }
      send(unpredicted, start, { report: told })
      send(unpredicted, start + 1_000, refusal(window, holdMs))
      const backAt = start + 1_500 + holdMs + 250
      expect(unpredicted.verdict(10, start + 2_000)).toMatchObject({ at: backAt, window, source: 'retry-after' })
      expect(unpredicted.verdict(10, backAt)).toEqual({ type: 'now' })
      send(unpredicted, backAt, { report: {} })
      expect(unpredicted.verdict(10, backAt + 600)).toEqual({ type: 'now' })
    }
  })
})

test('after a 503 no request goes until Retry-After is over, then one; no unit is counted', () => {
  const model = new QuotaModel()
  send(model, start, { status: 503, holdMs: 60_000 })
  expect(model.verdict(1, start + 1_000)).toMatchObject({ at: start + 60_750, source: 'unavailable' })
  expect(model.windows(start + 1_000)).toMatchObject({ day: { used: 0 } })
  expect(model.verdict(10, start + 60_750)).toEqual({ type: 'now' })
  reserve(model, start + 60_750)
  expect(model.verdict(1, start + 60_750)).toMatchObject({ at: undefined, source: 'unavailable' })
})

test('a clock that is set back by an hour leaves the wait after a refusal as long as it was', () => {
  const model = new QuotaModel()
  send(model, start, refusal('hour', 600_000))
  const now = start - 3_600_000
  expect(waitMs(model.verdict(10, now), now)).toBe(600_250)
})

describe('an account without quotas', () => {
  const costAlone = (cost = 10) => ({ report: { cost, isCostAlone: true } })
  const hour = 3_600_000

  type Exchange = readonly [cost: number, more: Partial<Answered>]

  /** The limit of the hour, some time after these answers, one a second. */
  function limitLater(later: number, ...answers: readonly Exchange[]) {
    const model = new QuotaModel()
    for (const [index, [cost, more]] of answers.entries()) send(model, start + index * 1_000, more, cost)
    return model.windows(start + answers.length * 1_000 + later).hour?.limit
  }
  const limitAfter = (...answers: readonly Exchange[]) => limitLater(0, ...answers)

  test('a success with Cost alone lifts every assumed limit, and what was used is counted all the same', () => {
    const model = new QuotaModel()
    for (let count = 0; count < 100; count += 1) send(model, start + count, costAlone())
    for (let count = 0; count < 50; count += 1) reserve(model, start + 200)
    expect(model.verdict(10, start + 200)).toEqual({ type: 'now' })
    const fitsAt = { upload: start + 200, delete: start + 200, other: start + 200 }
    const window = { limit: null, used: 1_500, remaining: null, fitsAt }
    expect(model.windows(start + 200)).toEqual({ burst: window, minute: window, hour: window, day: window })
  })

  test.each([
    ['an answer without Cost', { report: {} }],
    ['an answer with Remaining and without Limit', { report: { cost: 10, remaining: 50 } }],
    ['an answer that failed', { status: 404, ...costAlone() }],
    ['a 503', { status: 503, ...costAlone() }],
  ])('%s lifts nothing', (_, more) => {
    expect(limitAfter([10, more])).toBe(1_000)
  })

  test('limits that a person gave stay', () => {
    const model = new QuotaModel({ limits: { minute: 30 } })
    for (const at of [start, start + 1_000, start + 2_000]) send(model, at, costAlone())
    expect(model.verdict(10, start + 3_000)).toMatchObject({ type: 'later', window: 'minute' })
    expect(model.windows(start + 3_000)).toMatchObject({ burst: { limit: null }, minute: { limit: 30, remaining: 0 } })
  })

  test('an endpoint that shows a limit outweighs others that show none, until it shows none too', () => {
    const limited: Exchange = [10, { report: { cost: 10, limit: 60, remaining: 50 } }]
    const other: Exchange = [1, costAlone(1)]
    expect([limitAfter(limited, other), limitAfter(other, limited)]).toEqual([1_000, 1_000])
    expect(limitAfter(limited, other, [10, costAlone()])).toBeNull()
  })

  test('a refusal restores every limit, and for a day no answer lifts it again', () => {
    const free: Exchange = [10, costAlone()]
    const refused: Exchange = [10, refusal('burst', 1_000)]
    const limits = [0, 23, 25].map((hours) => limitLater(hours * hour, free, refused, free))
    expect(limits).toEqual([1_000, 1_000, null])
    expect(limitLater(25 * hour, free, refused)).toBe(1_000)
  })

  test('a clock that is set back does not shorten the distrust after a refusal', () => {
    const model = new QuotaModel()
    send(model, start, refusal('burst', 1_000))
    send(model, start - 10 * hour, costAlone())
    expect(model.windows(start + 13 * hour).hour?.limit).toBe(1_000)
  })
})
