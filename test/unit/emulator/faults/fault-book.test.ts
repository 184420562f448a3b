import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FaultMatch } from '../../../../emulator/faults/fault.ts'
import { createFaultBook, type FaultSubject, newlyArmed } from '../../../../emulator/faults/fault-book.ts'
import { parseFaults } from '../../../../emulator/faults/fault-parser.ts'
import { emulated, send } from '../emulated.ts'

const methods = ['GET', 'POST', 'DELETE']
const paths = ['/api/upload', '/api/uploads', '/api/uploads/abc']
const subject = fc.record({
  method: fc.constantFrom(...methods),
  endpoint: fc.constantFrom(...paths),
  accountId: fc.constantFrom(1, 2, null),
})
const match = fc.record(
  {
    account_id: fc.constantFrom(1, 2),
    method: fc.constantFrom(...methods, 'post'),
    path: fc.constantFrom(...paths, '/api/uploads*', '*'),
    nth: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: [] },
)
const times = fc.option(fc.integer({ min: 1, max: 4 }), { nil: null })

function isMeant({ account_id, method, path }: FaultMatch, { method: sent, endpoint, accountId }: FaultSubject) {
  const isPath = path === undefined || (path.endsWith('*') ? endpoint.startsWith(path.slice(0, -1)) : endpoint === path)
  return (account_id ?? accountId) === accountId && (method ?? sent).toUpperCase() === sent.toUpperCase() && isPath
}

test('a fault hits matching requests from the nth on, as often as `times`, and no others', () => {
  fc.assert(
    fc.property(match, times, fc.array(subject, { maxLength: 40 }), (match, times, subjects) => {
      const book = createFaultBook()
      book.load(parseFaults([{ match, times, action: { type: 'reset_before' } }]).map(newlyArmed))
      const struck = subjects.filter((subject) => book.trigger('arrival', subject) !== undefined)
      const meant = subjects.filter((subject) => isMeant(match, subject))
      const first = (match.nth ?? 1) - 1
      expect(struck).toEqual(meant.slice(first, times === null ? undefined : first + times))
      expect(book.list()).toMatchObject([{ seen: meant.length, struck: struck.length }])
    }),
  )
})

test('of several matching faults the first acts, and the next one on the next request', () => {
  const book = createFaultBook()
  const request = { method: 'GET', endpoint: '/api/stats', accountId: 1 }
  book.load(
    parseFaults([
      { action: { type: 'status', status: 500 } },
      { times: 2, action: { type: 'delay', ms: 5 } },
      { match: { nth: 2 }, action: { type: 'reset_before' } },
    ]).map(newlyArmed),
  )
  const strikes = [1, 2, 3, 4].map(() => book.trigger('gate', request)?.action.type)
  expect(strikes).toEqual(['status', 'delay', 'delay', undefined])
  expect([book.isArmed('gate'), book.isArmed('arrival'), book.isArmed('site')]).toEqual([true, true, false])
  expect([1, 2, 3].map(() => book.trigger('arrival', request)?.action.type)).toEqual([
    undefined,
    'reset_before',
    undefined,
  ])
  expect(book.list().map(({ seen, struck }) => [seen, struck])).toEqual([
    [4, 1],
    [4, 2],
    [3, 1],
  ])
  book.load([])
  expect([book.isArmed('gate'), book.isArmed('arrival')]).toEqual([false, false])
})

test('a fault that is used up counts further requests, on its own as beside others', async () => {
  const emulator = await emulated()
  const { faults } = emulator.control
  const { id } = faults.add({ match: { path: '/api/stats' }, action: { type: 'status', status: 500 } })
  for (let sent = 0; sent < 3; sent += 1) await send(emulator, 'GET', '/api/stats')
  expect(faults.list()).toMatchObject([{ id, seen: 3, struck: 1 }])
})

test('a fault counts matching requests of different paths together', () => {
  const book = createFaultBook()
  book.load(parseFaults([{ match: { nth: 500, path: '/api/*' }, action: { type: 'reset_before' } }]).map(newlyArmed))
  const struck = Array.from({ length: 600 }, (_, number) =>
    book.trigger('arrival', { method: 'GET', endpoint: `/api/${number % 550}`, accountId: null }),
  )
  expect(struck.findIndex((action) => action !== undefined)).toBe(499)
  expect(book.list()).toMatchObject([{ seen: 600, struck: 1 }])
})
