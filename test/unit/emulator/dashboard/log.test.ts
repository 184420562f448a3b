import { expect, test } from 'vitest'
import { emptyLog, listed, settled, stateWords, withOlder } from '../../../../emulator/dashboard/assets/log.ts'
import type { LoggedRequest } from '../../../../emulator/index.ts'

const requests = (...numbers: readonly number[]) => numbers.map((number) => ({ number }) as LoggedRequest)
const from = (...numbers: readonly number[]) => listed(emptyLog, requests(...numbers))
const numbersOf = (rows: readonly LoggedRequest[]) => rows.map(({ number }) => number)
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('the list pauses under a reader, counts what is new, and goes live when the reader is gone', () => {
  const paused = settled(listed(settled(from(1), true), requests(1, 4, 5)), true)
  const states = [paused, settled(paused, false)].map((state) => [stateWords(state), numbersOf(state.rows)])
  expect(states.flat()).toEqual(['Paused, 2 new', [1], 'Live', [5, 4, 1]])
  const opened = settled(from(1, 2), true)
  expect([stateWords(opened), numbersOf(opened.rows)], 'what the page began with').toEqual(['Paused', [2, 1]])
  const many = settled(listed(opened, requests(...upTo(5_000).slice(-200))), true)
  expect([stateWords(many), numbersOf(many.rows)]).toEqual(['Paused, 200 or more new', [2, 1]])
})

test('a log that was begun again takes the place of all, under a reader too', () => {
  const again = settled(listed(settled(from(6, 7), true), requests(1, 2)), true)
  expect([numbersOf(again.rows), stateWords(again)]).toEqual([[2, 1], 'Paused'])
})

test('older requests stay below the newest until new ones come, and what is known is not drawn again', () => {
  const all = upTo(450)
  const older = withOlder(settled(from(...all.slice(250)), false), requests(...all.slice(150, 250)), true)
  const same = settled(listed(older, requests(...all.slice(250))), false)
  expect([same.rows.length, same.rows.at(-1)?.number, same.hasOlder]).toEqual([300, 151, true])
  const news = settled(listed(same, requests(...all.slice(251), 451)), false)
  expect([news.rows.length, news.rows[0]?.number, news.rows[1] === same.rows[0]]).toEqual([200, 451, true])
})
