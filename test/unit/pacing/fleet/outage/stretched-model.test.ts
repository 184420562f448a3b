import { expect, test } from 'vitest'
import { createStretchedModel, type Stretch } from '../../../../../src/pacing/fleet/stretched-model.ts'
import type { PacingOutcome } from '../../../../../src/pacing/pacer.ts'
import { createQuotaModel } from '../../../../../src/pacing/quota-model/quota-model.ts'
import type { QuotaModelOptions } from '../../../../../src/pacing/quota-model/quota-model-options.ts'

const cutAt = Date.UTC(2026, 0, 15, 12)

function modelOf(stretch: Partial<Stretch>, options?: QuotaModelOptions) {
  const model = createStretchedModel(createQuotaModel(options), { from: cutAt, factor: 4, lateMs: 0, ...stretch })
  let requests = 0
  return {
    ...model,
    /** Sends a request that is answered at once. */
    send(at: number, cost: number, outcome: Partial<PacingOutcome & { type: 'answered' }> = {}) {
      requests += 1
      model.apply({ type: 'reserve', id: String(requests), at, cost })
      const settled = { type: 'answered', at, status: 201, report: {}, ...outcome } as const
      model.apply({ type: 'settle', id: String(requests), outcome: settled })
    },
    /** When the next upload may be sent, in seconds after the cut. */
    nextUpload(now: number) {
      const verdict = model.verdict(10, now)
      const at = verdict.type === 'now' ? now : verdict.at
      return at === undefined ? undefined : (at - cutAt) / 1_000
    },
  }
}

test('room that others will use, too, comes back as many times slower as there are runners', () => {
  const model = modelOf({})
  for (let sent = 0; sent < 6; sent += 1) model.send(cutAt - 30_000, 10)
  // The minute ends 30 s after the cut; for this runner 4 * 30 s after it.
  expect(model.nextUpload(cutAt)).toBe(120)
})

test('a runner that has never reached Redis has the whole limits in windows of its share', () => {
  const model = modelOf({ from: Number.NEGATIVE_INFINITY })
  expect(model.nextUpload(cutAt)).toBe(0)
  model.send(cutAt, 10)
  model.send(cutAt, 10)
  // The burst's 10 s, four times.
  expect(model.nextUpload(cutAt)).toBe(40)
})

test('a limit below the price of an upload leaves room for one upload in each stretched window', () => {
  const model = modelOf({ factor: 20 }, { limits: { burst: null, minute: 12, hour: null, day: null } })
  expect(model.nextUpload(cutAt)).toBe(0)
  model.send(cutAt, 10)
  expect(model.nextUpload(cutAt)).toBe(20 * 60)
})

test('the Retry-After of a refusal before the cut is neither stretched nor shortened by it', () => {
  const model = modelOf({ factor: 20 })
  model.send(cutAt - 10_000, 10, { status: 429, refusedBy: 'minute', holdMs: 300_000 })
  const until = model.nextUpload(cutAt) ?? 0
  expect(until).toBeGreaterThanOrEqual(290)
  expect(until).toBeLessThan(292)
})

test('after a refusal during the outage a runner waits for the whole Retry-After, and for its own turn after that', () => {
  const model = modelOf({ factor: 20, lateMs: 7_000 })
  model.send(cutAt + 1_000, 10, { status: 429, refusedBy: 'hour', holdMs: 3_000_000 })
  const until = model.nextUpload(cutAt + 2_000) ?? 0
  expect(until).toBeGreaterThanOrEqual(3_001 + 7)
  expect(until).toBeLessThan(3_010)
})

test('room that an answer tells during the outage is not taken, because others are told of the same', () => {
  const model = modelOf({ factor: 1 }, { limits: { burst: null, hour: null, day: null } })
  for (let sent = 0; sent < 6; sent += 1) {
    model.send(cutAt + 1_000, 10, { report: { limit: 60, remaining: 60, cost: 10 } })
  }
  expect(model.nextUpload(cutAt + 2_000)).toBeGreaterThan(62)
})

test('runners that are cut off together use the same room at different times', () => {
  const [first, second] = [modelOf({ lateMs: 5_000 }), modelOf({ lateMs: 25_000 })]
  for (const model of [first, second]) for (let sent = 0; sent < 6; sent += 1) model.send(cutAt - 30_000, 10)
  expect((second.nextUpload(cutAt) ?? 0) - (first.nextUpload(cutAt) ?? 0)).toBe(20)
})

test('an account without quotas is not held back during an outage', () => {
  const model = modelOf({})
  model.send(cutAt - 1_000, 10, { report: { cost: 10, isCostAlone: true } })
  for (let sent = 0; sent < 20; sent += 1) {
    expect(model.nextUpload(cutAt + 1_000)).toBe(1)
    model.send(cutAt + 1_000, 10, { report: { cost: 10, isCostAlone: true } })
  }
})

test('the windows of an outage show the share that is left, and when a request fits into it', () => {
  const model = modelOf({})
  model.send(cutAt, 10)
  model.send(cutAt, 10)
  const { burst, minute } = model.windows(cutAt + 20_000)
  expect(burst).toMatchObject({ limit: 20, used: 20, remaining: 0 })
  expect(burst?.fitsAt.upload).toBe(cutAt + 40_000)
  expect(minute).toMatchObject({ limit: 60, used: 20, remaining: 40 })
})

test('a clock that is set back during an outage gives no room back, and holds nothing back for long', () => {
  const model = modelOf({})
  model.send(cutAt + 10_000, 10)
  model.send(cutAt + 10_000, 10)
  const hourBefore = cutAt - 3_600_000
  const next = model.nextUpload(hourBefore) ?? 0
  expect(next).toBe(-3_600 + 40)
})
