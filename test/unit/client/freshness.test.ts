import { expect, test } from 'vitest'
import { createFreshness } from '../../../src/client/freshness.ts'

const at = (seconds: number, more: Record<string, string> = {}) => ({
  date: new Date(Date.UTC(2026, 10, 20, 12) + seconds * 1_000).toUTCString(),
  ...more,
})

test.each([
  ['of the same time', at(100), false],
  ['whose server is three seconds behind', at(97), false],
  ['of four seconds before', at(96), true],
  ['that is later', at(9_000), false],
  ['without a Date', {}, false],
  ['whose Date cannot be read', { date: 'yesterday' }, false],
  ['that a cache has fetched just now', at(100, { age: '0' }), false],
  ['that a cache had kept', at(100, { age: '1' }), true],
  ['with an age that cannot be read', at(100, { age: 'old' }), true],
])('after an answer of a service, one %s is old: %s', (_, headers, isOld) => {
  const freshness = createFreshness()
  expect(freshness.begin()(at(100))).toBe(false)
  expect(freshness.begin()(headers)).toBe(isOld)
})

test('an answer is as old as its request, not as what came while it was under way, and no kept one tells the time', () => {
  const freshness = createFreshness()
  const [slow, quick, kept] = [freshness.begin(), freshness.begin(), freshness.begin()]
  expect([quick(at(100)), slow(at(50)), kept(at(900, { age: '7' }))]).toEqual([false, false, true])
  expect(freshness.begin()(at(100))).toBe(false)
})
