import { expect, test } from 'vitest'
import { defaultLimits, windowNames } from '../../src/protocol/rate-limits.ts'
import { allOf, type ModelKind } from './simulation/model.ts'
import { createBooks } from './simulation/quota-models.ts'

const UPLOAD_COST = 10
/** On a whole hour. */
const noon = Date.UTC(2026, 0, 15, 12)

interface Uploads {
  /** In seconds after noon, as are all. */
  readonly ours: readonly number[]
  readonly others?: readonly number[]
  readonly next: number
}

/** What a service tells us of its minute after each of our uploads, and which window refuses the next one. */
function story(kind: ModelKind, { ours, others = [], next }: Uploads) {
  const books = createBooks({ kinds: allOf(kind), limits: defaultLimits })
  const told: number[] = []
  for (const second of [...ours, ...others].sort((one, other) => one - other)) {
    const at = noon + second * 1_000
    if (books.refusing(UPLOAD_COST, at) !== undefined) throw new Error(`The upload at ${second} s is refused`)
    books.charge(windowNames, UPLOAD_COST, at)
    if (!others.includes(second)) told.push(books.used('minute', at))
  }
  return { told, refusing: books.refusing(UPLOAD_COST, noon + next * 1_000) }
}

/** So many instants, in seconds. */
function rhythm(first: number, every: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index * every)
}

test('a log and windows that follow the clock tell the same up to a whole minute, where only the log refuses', () => {
  const uploads = { ours: [20, 20, 31, 31, 42, 42], next: 60 }
  const [log, aligned] = [story('sliding', uploads), story('aligned', uploads)]
  expect(log.told).toEqual(aligned.told)
  expect([log.refusing, aligned.refusing]).toEqual(['minute', undefined])
})

test('a log and a counter tell the same up to ten seconds after two uploads, where only the counter refuses', () => {
  const uploads = { ours: [20, 20], next: 30.5 }
  const [log, counter] = [story('sliding', uploads), story('sliding_counter', uploads)]
  expect(log.told).toEqual(counter.told)
  expect([log.refusing, counter.refusing]).toEqual([undefined, 'burst'])
})

test('a log that others use tells what a counter in a steady rhythm does, until only its hour refuses', () => {
  const uploads = { ours: rhythm(1, 12, 84), next: 1_009 }
  const log = story('sliding', { ...uploads, others: rhythm(60.5, 60, 16) })
  const counter = story('sliding_counter', uploads)
  expect(log.told).toEqual(counter.told)
  expect([log.refusing, counter.refusing]).toEqual(['hour', undefined])
})
