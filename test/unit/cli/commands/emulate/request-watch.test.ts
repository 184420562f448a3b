import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownerOf } from '../../../../../src/cli/commands/emulate/request-watch.ts'

const at = (ms: number) => new Date(ms).toISOString()
const arrived = (arrivedAt: number, path = '/api/stats', method = 'GET') => ({ arrivedAt, path, method })

test('a log entry is matched to the latest request that had arrived by its time, in any order of answers', () => {
  const instants = fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(instants, fc.double({ min: 0, max: 0.9, noNaN: true }), fc.func(fc.nat()), (times, part, order) => {
      let waiting = times.toSorted((a, b) => a - b).map((ms) => arrived(ms + part))
      for (const ms of times.toSorted((a, b) => order(a) - order(b))) {
        const owner = ownerOf({ method: 'GET', endpoint: '/api/stats', at: at(ms) }, waiting)
        expect(owner?.arrivedAt).toBe(ms + part)
        waiting = waiting.filter((one) => one !== owner)
      }
    }),
  )
})

test('on a clock that stands still, log entries are matched by method and path, then by order of arrival', () => {
  const [read, removal, again] = [arrived(5), arrived(5, '/api/stats', 'DELETE'), arrived(5)]
  const waiting = [arrived(5, '/api/uploads'), read, removal, again]
  expect(ownerOf({ method: 'DELETE', endpoint: '/api/stats', at: at(5) }, waiting)).toBe(removal)
  expect(ownerOf({ method: 'GET', endpoint: '/api/stats', at: at(5) }, waiting)).toBe(read)
  expect(ownerOf({ method: 'GET', endpoint: '/api/other', at: at(5) }, waiting)).toBeUndefined()
})
