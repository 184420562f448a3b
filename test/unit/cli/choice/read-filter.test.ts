import { Command, CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { addFilterFlags, readMoment, type UploadFilter } from '../../../../src/cli/choice/filter.ts'

const now = Date.parse('2026-11-22T17:00:00Z')
const day = 86_400_000

/** The filters of a command line. */
function filterOf(...words: readonly string[]): UploadFilter {
  const command = addFilterFlags(new Command())
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  return command.parse(words, { from: 'user' }).opts()
}

test('a filter reads durations back from now, and dates in the local time zone or their own', () => {
  const since = (text: string) => readMoment(text, now)
  expect(since('7d')).toBe(now - 7 * day)
  expect(since(' 1.5h ')).toBe(now - 5_400_000)
  expect(since('2026-11-20')).toBe(new Date(2026, 10, 20).getTime())
  expect(since('2026-11-20T10:00')).toBe(new Date(2026, 10, 20, 10).getTime())
  expect(since('2026-11-20 10:00:05')).toBe(new Date(2026, 10, 20, 10, 0, 5).getTime())
  expect(since('2026-11-20T10:00Z')).toBe(Date.parse('2026-11-20T10:00Z'))
  expect(since('2026-11-20T10:00:00+02:00')).toBe(Date.parse('2026-11-20T08:00Z'))
  expect(since('2024-02-29')).toBe(new Date(2024, 1, 29).getTime())
  const { since: ago = 0 } = filterOf('--since', '1d')
  expect(Math.abs(Date.now() - day - ago)).toBeLessThan(60_000)
})

test('a filter reads sizes in units of 1,024', () => {
  expect(filterOf('--larger', '10MB', '--smaller', '1g', '--type', 'image/png')).toEqual({
    larger: 10_485_760,
    smaller: 1_073_741_824,
    type: 'image/png',
  })
})

test('a filter by name has no folders: a star stands for slashes too', () => {
  const { name } = filterOf('--name', 'On *.{jpg,png}')
  expect(['On a/b.jpg', 'On .png', 'on a.png', 'On a.jpeg'].map((it) => name?.(it))).toEqual([true, true, false, false])
})

test.each([
  ['--since', 'yesterday', '7d or 12h, back from now, or a date'],
  ['--since', '', '7d or 12h'],
  ['--since', '2026', '7d or 12h'],
  ['--since', '-3d', '7d or 12h'],
  ['--before', '2026-02-31', 'a date: 2026-11-20'],
  ['--before', '2026-11-20T25:00', 'a date: 2026-11-20'],
  ['--before', '2026-11-20T10:00+99:99', 'a date: 2026-11-20'],
  ['--before', '2999-01-01', 'It has to be past'],
  ['--since', '0d', 'It has to be past'],
  ['--larger', '10XB', '10MB, 512KB or a number of bytes'],
  ['--smaller', '0', '10MB, 512KB or a number of bytes'],
  ['--type', 'banana', 'image, video, image/jpeg'],
  ['--type', 'png', 'image/png'],
])('the filter %s %j is refused by commander, with examples', (flag, value, examples) => {
  const message = expect.stringMatching(
    new RegExp(`^error: option '${flag} .*argument '${value.replace('+', '\\+')}'.*`),
  )
  const refused = expect.objectContaining({ code: 'commander.invalidArgument', message })
  expect(() => filterOf(flag, value)).toThrow(refused)
  expect(() => filterOf(flag, value)).toThrow(examples)
  expect(() => filterOf(flag, value)).toThrow(CommanderError)
})

test('a glob of names that cannot be read is refused', () => {
  expect(() => filterOf('--name', '[a')).toThrow('the glob "[a" has a bracket [ that is not closed')
})
