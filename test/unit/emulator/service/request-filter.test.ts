import fc from 'fast-check'
import { expect, test } from 'vitest'
import { subjectTest } from '../../../../emulator/service/request-filter.ts'
import { request as requestWith } from '../storage/records.ts'

const request = requestWith({ endpoint: '/api/uploads/a.b', status: 200, accountId: 7 })

test('stars match like .* in a regular expression', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '.', '/'), { maxLength: 8 }).map((letters) => letters.join(''))
  const patterns = fc.array(fc.constantFrom('a', 'b', '.', '*'), { maxLength: 6 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(patterns, texts, (pattern, endpoint) => {
      const expected = new RegExp(`^${pattern.replaceAll('.', '[.]').replaceAll('*', '.*')}$`)
      expect(subjectTest({ path: pattern })({ ...request, endpoint })).toBe(expected.test(endpoint))
    }),
  )
})
