import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mostAllowlistEntries, reviewAllowlist } from '../../../../emulator/service/allowlist-review.ts'
import { allowsAddress } from '../../../../emulator/values/ip-allowlist.ts'

test('entries are trimmed, blank lines dropped, and each text is taken once', () => {
  const review = reviewAllowlist('\r\n 10.0.0.0/8 \r\n\r\n2001:db8::/32\n10.0.0.0/8\n\t::1\n')
  expect(review.entries).toEqual(['10.0.0.0/8', '2001:db8::/32', '::1'])
  expect(review.wrong).toEqual([])
})

test.each(['localhost', 'fe80::1%eth0', '10.0.0.0/', '10.0.0.0/33', '::1/129', '::ffff:10.0.0.0/24'])(
  'the entry %j is named by its line',
  (entry) => {
    const review = reviewAllowlist(`10.0.0.1\n\n${entry}\n10.0.0.2`)
    expect(review.wrong).toEqual([{ line: 3, entry }])
    expect(review.entries).toEqual(['10.0.0.1', '10.0.0.2'])
  },
)

test('a list is too long beyond the most entries, counting each text once', () => {
  const lines = Array.from({ length: mostAllowlistEntries }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
  expect(reviewAllowlist([...lines, lines[0]].join('\n')).isTooLong).toBe(false)
  expect(reviewAllowlist([...lines, '10.1.0.0'].join('\n')).isTooLong).toBe(true)
})

test('an entry is accepted exactly if the service admits its address by it', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6())
  const prefix = fc.oneof(
    fc.constant(''),
    fc.integer({ min: -1, max: 130 }).map((bits) => `/${bits}`),
    fc.string(),
  )
  fc.assert(
    fc.property(address, prefix, (client, rest) => {
      const entry = `${client}${rest}`.trim()
      fc.pre(!/[\r\n]/.test(entry))
      const { entries } = reviewAllowlist(entry)
      expect(entries.length === 1).toBe(allowsAddress([entry], client))
    }),
  )
})
