import { expect, test } from 'vitest'
import type { FilterFlags } from '../../../../src/cli/choice/filter.ts'
import { readFilter } from '../../../../src/cli/choice/filter.ts'

const now = Date.parse('2026-11-22T17:00:00Z')
const day = 86_400_000

test('a filter reads durations back from now, and dates in the local time zone or their own', () => {
  const since = (text: string) => readFilter({ since: text }, now).since
  expect(since('7d')).toBe(now - 7 * day)
  expect(since(' 1.5h ')).toBe(now - 5_400_000)
  expect(since('2026-11-20')).toBe(new Date(2026, 10, 20).getTime())
  expect(since('2026-11-20T10:00')).toBe(new Date(2026, 10, 20, 10).getTime())
  expect(since('2026-11-20 10:00:05')).toBe(new Date(2026, 10, 20, 10, 0, 5).getTime())
  expect(since('2026-11-20T10:00Z')).toBe(Date.parse('2026-11-20T10:00Z'))
  expect(since('2026-11-20T10:00:00+02:00')).toBe(Date.parse('2026-11-20T08:00Z'))
  expect(since('2024-02-29')).toBe(new Date(2024, 1, 29).getTime())
  expect(readFilter({ olderThan: '30d' }, now)).toEqual({ before: now - 30 * day })
})

test('a filter reads sizes in units of 1,024, and types in any case', () => {
  expect(readFilter({ larger: '10MB', smaller: '1g', type: 'Image/PNG' }, now)).toEqual({
    larger: 10_485_760,
    smaller: 1_073_741_824,
    type: 'image/png',
  })
})

test('a filter by name has no folders: a star stands for slashes too', () => {
  const { name } = readFilter({ name: 'On *.{jpg,png}' }, now)
  expect(['On a/b.jpg', 'On .png', 'on a.png', 'On a.jpeg'].map((it) => name?.(it))).toEqual([true, true, false, false])
})

const wrong: readonly (readonly [flags: FilterFlags, message: string, hint?: string])[] = [
  [{ since: 'yesterday' }, '--since: "yesterday" is neither a date nor a duration with a unit', '7d or 12h'],
  [{ since: '' }, '--since: "" is neither a date nor a duration with a unit'],
  [{ before: '2026-02-31' }, '--before: "2026-02-31" is not a date of the calendar'],
  [{ before: '2026-11-20T24:00' }, '--before: "2026-11-20T24:00" is not a date of the calendar'],
  [{ before: '2026-11-20T10:00+99:99' }, '--before: "2026-11-20T10:00+99:99" is not a date of the calendar'],
  [{ since: '2026-11-22T17:01Z' }, '--since: "2026-11-22T17:01Z" is in the future'],
  [{ since: '0d' }, '--since: "0d" is zero'],
  [{ since: '0d'.repeat(32_768) }, '…" is neither a date nor a duration with a unit'],
  [{ since: '1d', before: '2d' }, '--since 1d is not before --before 2d: no upload can match'],
  [{ since: '1d', olderThan: '1d' }, '--since 1d is not before --older-than 1d: no upload can match'],
  [{ before: '1d', olderThan: '2d' }, '--older-than and --before say the same'],
  [{ olderThan: '-3d' }, '--older-than: "-3d" is not a duration with a unit', '30d or 12h'],
  [{ olderThan: '2026-01-01' }, '--older-than: "2026-01-01" is not a duration', 'a date is for --before'],
  [{ larger: '10XB' }, '--larger: "10XB" is not a size', '10MB'],
  [{ smaller: '0' }, '--smaller: "0" is not a size'],
  [{ larger: '2MB', smaller: '1MB' }, 'No size is above --larger 2MB and below --smaller 1MB: no upload can match'],
  [{ larger: '10', smaller: '11' }, 'No size is above --larger 10 and below --smaller 11'],
  [{ type: 'banana' }, '--type: no upload is of the type "banana"', 'Types: image, video, image/jpeg'],
  [{ type: 'png' }, '--type: no upload is of the type "png"', 'image/png'],
  [{ name: '[a' }, '--name "[a": the bracket [ is not closed'],
  [{ name: '*'.repeat(65_536) }, '…": a glob has at most 4,096 characters'],
]

test.each(wrong.map(([flags, message, hint = '']) => ({ flags, message, hint })))(
  'the filter $flags is refused',
  ({ flags, message, hint }) => {
    expect(() => readFilter(flags, now)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(message),
        ...(hint !== '' && { hint: expect.stringContaining(hint) }),
      }),
    )
  },
)
