import { expect, test } from 'vitest'
import {
  afterwards,
  type Happening,
  isFlowing,
  logState,
  stateWords,
} from '../../../../emulator/dashboard/assets/log-state.ts'
import type { LoggedRequest } from '../../../../emulator/index.ts'

const row = (number: number): Happening => ({ kind: 'row', request: { number } as LoggedRequest })
const after = (last: number, ...happenings: readonly Happening[]) => happenings.reduce(afterwards, logState(last))
const numbersOf = ({ waiting }: ReturnType<typeof logState>) => waiting.map(({ number }) => number)

test('rows that came with the page, or twice, are dropped by their numbers', () => {
  const state = after(7, row(6), row(7), row(8), row(9), row(8), row(9))
  expect([numbersOf(state), state.last, state.unseen]).toEqual([[8, 9], 9, 2])
})

test('a run of 5,000 requests leaves as many rows waiting as the page keeps, and says that it has a gap', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => row(at + 1))
  const state = after(0, ...rows)
  expect([state.waiting.length, state.waiting[0]?.number, state.unseen, state.hasGap]).toEqual([
    200,
    4_801,
    5_000,
    true,
  ])
})

test('requests that came too fast for a row are counted, and part what follows from what was shown', () => {
  const state = after(3, row(4), { kind: 'missed', count: 40 }, row(45))
  expect([numbersOf(state), state.unseen, state.hasGap]).toEqual([[45], 42, true])
  const shown = afterwards(state, { kind: 'shown' })
  expect([numbersOf(shown), shown.unseen, shown.hasGap, shown.last]).toEqual([[], 0, false, 45])
})

test('the list pauses for any reason, counts what is new, and goes live when the last reason is gone', () => {
  const connected = after(0, { kind: 'connected' })
  const held = [{ kind: 'hold', hold: 'scrolled' }, { kind: 'hold', hold: 'marking' }, row(1), row(2)] as const
  const paused = held.reduce<ReturnType<typeof logState>>(afterwards, connected)
  const still = afterwards(paused, { kind: 'release', hold: 'scrolled' })
  const live = afterwards(still, { kind: 'release', hold: 'marking' })
  expect([connected, paused, still, live].map(stateWords)).toEqual(['Live', 'Paused, 2 new', 'Paused, 2 new', 'Live'])
  expect([connected, paused, still, live].map(isFlowing)).toEqual([true, false, false, true])
})

test('the state is in words before, during and after a connection', () => {
  const states = [after(0), after(0, { kind: 'connected' }), after(0, { kind: 'connected' }, { kind: 'lost' })]
  expect(states.map(stateWords)).toEqual(['Reconnecting', 'Live', 'Reconnecting'])
  expect(stateWords(after(0, { kind: 'connected' }, { kind: 'hold', hold: 'reading' }))).toBe('Paused')
})

test('a page that asks every two seconds says so, and is lost only if it gets no answer to the next time', () => {
  const polls = [{ kind: 'connected' }, { kind: 'polling' }, { kind: 'lost' }] as const
  expect(stateWords(after(0, ...polls))).toBe('Every 2 s, because 50 other streams are open')
  expect(stateWords(after(0, ...polls, ...polls))).toBe('Every 2 s, because 50 other streams are open')
  expect(stateWords(after(0, ...polls, { kind: 'lost' }))).toBe('Reconnecting')
  expect(stateWords(after(0, ...polls, { kind: 'connected' }))).toBe('Live')
})
