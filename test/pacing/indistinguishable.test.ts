import { expect, test } from 'vitest'
import { defaultLimits, windowNames } from '../../src/protocol/rate-limits.ts'
import { allOf, type ModelKind } from './simulation/model.ts'
import { createServiceQuota } from './simulation/service-quota.ts'

const UPLOAD_COST = 10
/** On a whole hour. */
const noon = Date.UTC(2026, 0, 15, 12)

interface Uploads {
  /** Seconds after noon, like all numbers here. */
  readonly ours: readonly number[]
  readonly others?: readonly number[]
  readonly next: number
}

/** The use of the minute that a service shows after each of our uploads, and the window that refuses the next one. */
function shownBy(kind: ModelKind, { ours, others = [], next }: Uploads) {
  const quota = createServiceQuota({ kinds: allOf(kind), limits: defaultLimits })
  const shown: number[] = []
  for (const second of [...ours, ...others].sort((one, other) => one - other)) {
    const at = noon + second * 1_000
    if (quota.refusing(UPLOAD_COST, at) !== undefined) throw new Error(`The upload at ${second} s is refused`)
    quota.charge(windowNames, UPLOAD_COST, at)
    if (!others.includes(second)) shown.push(quota.used('minute', at))
  }
  return { shown, refusing: quota.refusing(UPLOAD_COST, noon + next * 1_000) }
}

function rhythm(first: number, every: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index * every)
}

test('a sliding log and aligned windows show the same use until a whole minute, at which only the log refuses', () => {
  const uploads = { ours: [20, 20, 31, 31, 42, 42], next: 60 }
  const [log, aligned] = [shownBy('sliding', uploads), shownBy('aligned', uploads)]
  expect(log.shown).toEqual(aligned.shown)
  expect([log.refusing, aligned.refusing]).toEqual(['minute', undefined])
})

test('a sliding log and a counter show the same use until ten seconds after two uploads, when only the counter refuses', () => {
  const uploads = { ours: [20, 20], next: 30.5 }
  const [log, counter] = [shownBy('sliding', uploads), shownBy('sliding_counter', uploads)]
  expect(log.shown).toEqual(counter.shown)
  expect([log.refusing, counter.refusing]).toEqual([undefined, 'burst'])
})

test('a sliding log that others use shows what a steadily used counter shows, until only the log’s hour refuses', () => {
  const uploads = { ours: rhythm(1, 12, 84), next: 1_009 }
  const log = shownBy('sliding', { ...uploads, others: rhythm(60.5, 60, 16) })
  const counter = shownBy('sliding_counter', uploads)
  expect(log.shown).toEqual(counter.shown)
  expect([log.refusing, counter.refusing]).toEqual(['hour', undefined])
})
