import { expect, test } from 'vitest'
import * as log from '../../../../emulator/dashboard/assets/log.ts'
import type { LoggedRequest } from '../../../../emulator/index.ts'

const { allShown, connected, emptyLog, lost, missed, settled, stateWords } = log
const from = (last: number): log.LogState => ({ ...emptyLog, last })
const withRows = (state: log.LogState, ...numbers: readonly number[]) =>
  numbers.reduce((before, number) => log.withRow(before, { number } as LoggedRequest), state)
const numbersOf = (rows: readonly LoggedRequest[]) => rows.map(({ number }) => number)

test('rows that came with the page, or twice, are dropped by their numbers', () => {
  const { waiting, last, unseen } = withRows(from(7), 6, 7, 8, 9, 8, 9)
  expect([numbersOf(waiting), last, unseen]).toEqual([[8, 9], 9, 2])
})

test('a run of 5,000 requests leaves as many rows waiting as the page keeps, and says that it has a gap', () => {
  const { waiting, unseen, hasGap } = withRows(from(0), ...Array.from({ length: 5_000 }, (_, at) => at + 1))
  expect([waiting.length, waiting[0]?.number, unseen, hasGap]).toEqual([200, 4_801, 5_000, true])
})

test('requests that came too fast for a row are counted, and part what follows from what was shown', () => {
  const state = withRows(missed(withRows(from(3), 4), 40), 45)
  expect([numbersOf(state.waiting), state.unseen, state.hasGap]).toEqual([[45], 42, true])
  const { rows, waiting, unseen, hasGap, last } = allShown({ ...state, rows: withRows(from(0), 1).waiting })
  expect([numbersOf(rows), waiting, unseen, hasGap, last]).toEqual([[45], [], 0, false, 45])
})

test('the list pauses under a reader, counts what is new, and goes live when the reader is gone', () => {
  const paused = settled(withRows(settled(connected(from(3), 3), true), 4, 5), true)
  const states = [paused, settled(paused, false)].map((state) => [stateWords(state), numbersOf(state.rows)])
  expect(states.flat()).toEqual(['Paused, 2 new', [], 'Live', [5, 4]])
  const opened = settled(withRows(connected(emptyLog, 2), 1, 2), true)
  expect([stateWords(opened), numbersOf(opened.rows)], 'what the page began with').toEqual(['Paused', [2, 1]])
})

test('the state is in words before, during and after a connection', () => {
  const live = connected(emptyLog, 0)
  const states = [emptyLog, live, lost(live), { ...live, isPaused: true }]
  expect(states.map(stateWords)).toEqual(['Reconnecting', 'Live', 'Reconnecting', 'Paused'])
})

test('a page that asks every two seconds says so, and is lost only if it gets no answer to the next time', () => {
  const polling = { ...connected(emptyLog, 0), connection: 'polling' } as const
  const states = [lost(polling), lost(lost(polling)), connected(lost(polling), 0)]
  expect(states.map(stateWords)).toEqual(['Every 2 s, because 50 other streams are open', 'Reconnecting', 'Live'])
})
