import { expect, test } from 'vitest'
import * as log from '../../../../emulator/dashboard/assets/log.ts'
import type { LoggedRequest } from '../../../../emulator/index.ts'

const { allShown, connected, emptyLog, settled, stateWords } = log
const requests = (...numbers: readonly number[]) => numbers.map((number) => ({ number }) as LoggedRequest)
const from = (...listed: readonly number[]) => connected(emptyLog, requests(...listed))
const withRows = (state: log.LogState, ...numbers: readonly number[]) => requests(...numbers).reduce(log.withRow, state)
const numbersOf = (rows: readonly LoggedRequest[]) => rows.map(({ number }) => number)
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('after a connection broke, what follows the newest row waits, and what does not takes the place of all', () => {
  const again = connected(withRows(from(6, 7), 8), requests(7, 8, 9, 10))
  expect([numbersOf(again.rows), numbersOf(again.waiting), again.unseen]).toEqual([[7, 6], [8, 9, 10], 3])
  const another = connected(withRows(from(6, 7), 8), requests(1, 2))
  expect([numbersOf(another.rows), another.waiting, another.unseen]).toEqual([[2, 1], [], 0])
})

test('a run of 5,000 requests leaves as many rows waiting as the page keeps, and says that it has a gap', () => {
  const { waiting, unseen, hasGap } = withRows(from(), ...upTo(5_000))
  expect([waiting.length, waiting[0]?.number, unseen, hasGap]).toEqual([200, 4_801, 5_000, true])
  const shown = allShown(withRows(from(3), ...upTo(5_000).slice(3)))
  expect([shown.rows.length, shown.rows.at(-1)?.number, shown.hasOlder]).toEqual([200, 4_801, true])
})

test('the list pauses under a reader, counts what is new, and goes live when the reader is gone', () => {
  const paused = settled(withRows(settled(from(), true), 4, 5), true)
  const states = [paused, settled(paused, false)].map((state) => [stateWords(state), numbersOf(state.rows)])
  expect(states.flat()).toEqual(['Paused, 2 new', [], 'Live', [5, 4]])
  const opened = settled(from(1, 2), true)
  expect([stateWords(opened), numbersOf(opened.rows)], 'what the page began with').toEqual(['Paused', [2, 1]])
})
