import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FaultMatch } from '../../../../emulator/faults/fault.ts'
import { FaultBook, newlyArmed } from '../../../../emulator/faults/fault-book.ts'
import { parseFaults } from '../../../../emulator/faults/fault-parser.ts'
import type { RequestSubject } from '../../../../emulator/service/request-filter.ts'

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

function isMeant({ account_id, method, path }: FaultMatch, { method: sent, endpoint, accountId }: RequestSubject) {
  const isPath = path === undefined || (path.endsWith('*') ? endpoint.startsWith(path.slice(0, -1)) : endpoint === path)
  return (account_id ?? accountId) === accountId && (method ?? sent).toUpperCase() === sent.toUpperCase() && isPath
}

const actionOf = (ms: number) => ({ type: 'delay', ms }) as const

test('each request meets the first of the faults that match it from the nth time on, as often as `times`', () => {
  const faults = fc.array(fc.record({ match, times }), { maxLength: 3 })
  fc.assert(
    fc.property(faults, fc.array(subject, { maxLength: 40 }), (given, subjects) => {
      const book = new FaultBook()
      const numbered = given.map((fault, at) => ({ ...fault, action: actionOf(at) }))
      book.load(parseFaults(numbered).map(newlyArmed))
      const counts = given.map((fault) => ({ ...fault, seen: 0, struck: 0 }))
      for (const asked of subjects) {
        const meant = counts.filter((fault) => isMeant(fault.match, asked))
        for (const fault of meant) fault.seen += 1
        const hit = meant.find(
          (fault) => fault.seen >= (fault.match.nth ?? 1) && fault.struck < (fault.times ?? Infinity),
        )
        if (hit !== undefined) hit.struck += 1
        expect(book.trigger('gate', asked)?.action).toEqual(hit && actionOf(counts.indexOf(hit)))
      }
      expect(book.list()).toMatchObject(counts.map(({ seen, struck }) => ({ seen, struck })))
    }),
  )
})
