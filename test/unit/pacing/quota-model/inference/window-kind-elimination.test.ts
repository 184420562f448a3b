import { expect, test } from 'vitest'
import { createKindProof } from '../../../../../src/pacing/quota-model/inference/window-kind-elimination.ts'
import { windowKinds } from '../../../../../src/pacing/quota-model/window-kinds.ts'

const minuteMs = 60_000
/** On a whole minute. */
const start = Date.parse('2026-11-20T12:00:00Z')
const exact = { least: 0, most: 0, at: start }

/** The kinds that remain after answers that came so many seconds after the whole minute and told of so much use. */
function remaining(sightings: readonly (readonly [second: number, used: number])[], offset = exact) {
  const proof = createKindProof(minuteMs)
  for (const [second, used] of sightings) {
    const sentAt = start + second * 1_000
    proof.see({ sentAt, answeredAt: sentAt + 100, units: 10, used, limit: 60 }, offset)
  }
  return windowKinds.filter(proof.mayBe)
}

test('use that adds up rules nothing out', () => {
  const sightings = [
    [1, 10],
    [12, 20],
    [23, 30],
  ] as const
  expect(remaining(sightings)).toEqual(windowKinds)
})

test('answers that take no time are counted once', () => {
  const proof = createKindProof(minuteMs)
  const at = { sentAt: start, answeredAt: start, limit: 60 }
  proof.see({ ...at, units: 10, used: 10 }, exact)
  proof.see({ ...at, units: 1, used: 11 }, exact)
  expect(windowKinds.filter(proof.mayBe)).toEqual(windowKinds)
})

test('an answer says nothing of a request that was sent as it came', () => {
  const proof = createKindProof(minuteMs)
  proof.see({ sentAt: start, answeredAt: start + 1, units: 10, used: 20, limit: 60 }, exact)
  proof.see({ sentAt: start + 1, answeredAt: start + 1, units: 10, used: 10, limit: 60 }, exact)
  expect(windowKinds.filter(proof.mayBe)).toEqual(windowKinds)
})

test('a fresh start on the whole minute leaves only what follows the clock', () => {
  const sightings = [
    [35, 10],
    [36, 20],
    [46, 30],
    [47, 40],
    [61, 10],
  ] as const
  expect(remaining(sightings)).toEqual(['aligned'])
})

test('use that comes back evenly leaves only a bucket', () => {
  const sightings = [
    [1, 10],
    [11, 10],
    [21, 10],
  ] as const
  expect(remaining(sightings)).toEqual(['bucket'])
})

test('use that comes back sooner than a limit in a length leaves neither a bucket nor a counter', () => {
  const sightings = [
    [1, 60],
    [13, 60],
  ] as const
  expect(remaining([...sightings, [24, 58]])).toEqual(['log', 'aligned', 'counter', 'bucket'])
  expect(remaining([...sightings, [24, 50]])).toEqual(['log', 'aligned'])
})

test('a share of the minute before leaves the counter, and what shows less than it', () => {
  const sightings = [
    [31, 10],
    [41, 20],
    [51, 30],
    [75, 33],
    [86, 37],
  ] as const
  expect(remaining(sightings)).toEqual(['aligned', 'counter', 'bucket'])
})

test('use that does not add up twice in a minute leaves no window that begins with its first charge', () => {
  const sightings = [
    [1, 60],
    [13, 60],
  ] as const
  expect(remaining(sightings)).toEqual(windowKinds)
  expect(remaining([...sightings, [25, 60]])).toEqual(['log', 'aligned', 'counter', 'bucket'])
})

test('what was not ours has to show for a minute beside all that is, or there is no log', () => {
  const sightings = [
    [1, 10],
    [11, 20],
    [21, 30],
    [31, 40],
    [41, 50],
    [62, 59],
  ] as const
  expect(remaining([...sightings, [75, 59]])).toContain('log')
  expect(remaining([...sightings, [75, 58]])).toEqual(['aligned', 'counter', 'bucket'])
})

test('without the service’s time nothing is known of what follows its clock', () => {
  const proof = createKindProof(minuteMs)
  for (const second of [1, 11, 21]) {
    const sentAt = start + second * 1_000
    proof.see({ sentAt, answeredAt: sentAt + 100, units: 10, used: 10, limit: 60 }, undefined)
  }
  expect(windowKinds.filter(proof.mayBe)).toEqual(['aligned', 'counter', 'bucket'])
})

test('use by others rules nothing out', () => {
  const sightings = [
    [1, 30],
    [11, 50],
    [61, 60],
  ] as const
  expect(remaining(sightings)).toEqual(windowKinds)
})

test('answers that no kind explains leave all of them possible', () => {
  const sightings = [
    [1, 10],
    [2, 0],
    [3, 0],
  ] as const
  expect(remaining(sightings)).toEqual(windowKinds)
})
