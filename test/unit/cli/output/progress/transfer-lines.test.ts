import fc from 'fast-check'
import { expect, test } from 'vitest'
import { downloadForecast, forecastBy } from '../../../../../src/cli/batch/forecast.ts'
import { transferLines } from '../../../../../src/cli/output/progress/transfer-lines.ts'
import { Transfers } from '../../../../../src/cli/output/progress/transfers.ts'
import { createPalette } from '../../../../../src/cli/output/terminal/terminal.ts'
import { loadWidths, textWidth } from '../../../../../src/cli/output/terminal/terminal-text.ts'
import type { ClientEvent } from '../../../../../src/index.ts'
import { forecastUploads } from '../../../../../src/pacing/forecast.ts'

await loadWidths()

const MB = 1_048_576
const now = 1_000_000
const palette = await createPalette(false)
const lookOf = (width: number, unicode = true) => ({
  width,
  rows: 24,
  unicode,
  clockIn: (ms: number) => `+${ms}`,
  palette,
  verb: 'uploaded' as const,
})
const linesOf = transferLines
const clock = { now: () => now, sleep: async () => {} }
const byLink = (jobs = 1, isLeftOut = () => false) => downloadForecast(jobs, isLeftOut, clock)

/** Reports the bytes of the first file, evenly, each second. */
function move(transfers: Transfers, size: number, from: number, to: number, seconds: number, end = now, index = 0) {
  for (let left = seconds; left >= 0; left -= 1) {
    transfers.move(index, to - ((to - from) * left) / seconds, size, end - left * 1_000)
  }
}

const post = { method: 'POST', path: '/api/upload' }
const posted: ClientEvent = { type: 'request', request: post, attempt: 1, headers: {} }
const wait: ClientEvent = { type: 'wait', request: post, window: 'minute', source: 'ledger', delayMs: 42_000 }

/** A batch of files of these sizes, the first of which is sent. */
function sending(sizes: readonly (number | undefined)[], forecast = byLink(), at = now - 5_000) {
  const transfers = new Transfers(sizes.length, [...sizes])
  transfers.expect(forecast)
  transfers.start(0, 'a.mp4', sizes[0])
  transfers.event(0, posted, at)
  return transfers
}

function busyRun() {
  const transfers = new Transfers(
    12,
    [10, 20, ...Array<number>(10).fill(18)].map((size) => size * MB),
  )
  transfers.start(0, 'first.png')
  transfers.move(0, 10 * MB, 10 * MB, now - 4_000)
  transfers.finish(0, 'uploaded', 10 * MB)
  transfers.start(1, 'holidays/a-rather-long-name-of-a-photo-0001.jpg')
  transfers.event(1, posted, now - 4_000)
  move(transfers, 20 * MB, 0, 12 * MB, 4, now, 1)
  transfers.start(2, 'second.png')
  transfers.event(2, wait, now)
  transfers.expect(() => 500_000)
  return transfers
}

test.each([
  [
    80,
    '▕███░░░░░░░░░░░░░░░░▏ 1/12 uploaded · 22 MB of 210 MB · 3 MB/s · 8 min 20 s left',
    'holidays/a-r…hoto-0001.jpg  ▕██████████████████░░░░░░░░░░░░▏  60 %',
    'second.png                  waiting 42 s for the minute quota',
  ],
  [
    40,
    '▕█░░░░░▏ 1/12 uploaded · 8 min 20 s left',
    'holida…01.jpg  ▕██████████░░░░░░░▏  60 %',
    'second.png     waiting 42 s (minute)',
  ],
])('progress in %d columns has a line for the batch and each file, as far as there is room', (width, ...lines) => {
  expect(linesOf(busyRun(), now, lookOf(width))).toEqual(lines)
  for (const line of linesOf(busyRun(), now, lookOf(width, false))) expect(line).toMatch(/^[\x20-\x7e]*$/)
})

test('a wait that is an estimate after a refusal says so, if there is room', () => {
  const transfers = busyRun()
  transfers.event(2, { ...wait, source: 'guess' }, now)
  const waiting = [100, 60].map((width) =>
    linesOf(transfers, now, lookOf(width))
      .at(-1)
      ?.replace(/^second.png +/, ''),
  )
  const brief = 'waiting 42 s for the minute quota'
  expect(waiting).toEqual([`${brief}, estimated after a refusal`, brief])
})

test('progress is never wider than the terminal, for any file name', () => {
  const size = fc.option(fc.integer({ min: 0, max: 300 * MB }), { nil: undefined })
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), size, fc.integer({ min: 20, max: 200 }), (name, bytes, width) => {
      const transfers = new Transfers(3, [bytes, bytes, bytes])
      transfers.start(0, name)
      transfers.event(0, posted, now - 4_000)
      transfers.move(0, Math.floor((bytes ?? 9) / 3), bytes, now)
      transfers.start(1, name)
      transfers.event(1, wait, now)
      for (const line of linesOf(transfers, now, lookOf(width))) {
        expect(textWidth(line)).toBeLessThanOrEqual(width)
      }
    }),
  )
})

test('the hour in which the process was stopped does not count for the speed and the time left', () => {
  const transfers = sending([100 * MB, 100 * MB], byLink(), now - 3_620_000)
  move(transfers, 100 * MB, 0, 20 * MB, 10, now - 3_610_000)
  expect(linesOf(transfers, now - 3_610_000, lookOf(80))[0]).toMatch(/ 2 MB\/s · 1 min 30 s left$/)
  move(transfers, 100 * MB, 20 * MB, 40 * MB, 10, now + 10_000)
  expect(linesOf(transfers, now + 10_000, lookOf(80))[0]).toMatch(/ 2 MB\/s · 1 min 20 s left$/)
})

test('once nothing new starts, the time left is that of the files in flight', () => {
  let isLeftOut = false
  const transfers = sending(
    [20 * MB, 50 * MB, 50 * MB],
    byLink(1, () => isLeftOut),
  )
  move(transfers, 20 * MB, 0, 10 * MB, 5)
  expect(transfers.timeLeft(now)).toBeCloseTo(55_000, -2)
  isLeftOut = true
  move(transfers, 20 * MB, 10 * MB, 14 * MB, 2, now + 2_000)
  expect(transfers.timeLeft(now + 2_000)).toBeCloseTo(3_000, -2)
})

test('the time left of a batch under quota is shown as soon as nothing moves at an unknown rate', () => {
  const limits = { burst: 10, minute: 10, hour: null, day: null }
  const forecast = forecastBy(
    (sizes, pace) => forecastUploads(sizes, { ...pace, now, limits }),
    () => false,
    clock,
  )
  const transfers = new Transfers(3, [10, 10, 10])
  transfers.expect(forecast)
  transfers.start(0, 'a.png')
  transfers.move(0, 5, 10, now)
  expect(transfers.timeLeft(now)).toBeUndefined()
  transfers.event(0, wait, now + 10)
  expect(transfers.timeLeft(now + 10)).toBeGreaterThan(100_000)
})

test('the next file takes the line of a finished one, with control characters of its name escaped', () => {
  const transfers = busyRun()
  transfers.finish(1, 'uploaded')
  transfers.start(3, 'third\u001b.png')
  expect(linesOf(transfers, now, lookOf(80))[1]).toBe('third\\x1b.png               waiting to start')
})

test('the line of the batch counts uploaded, failed, unknown and skipped files apart', () => {
  const transfers = new Transfers(12, [])
  const ends = ['uploaded', 'skipped', 'failed', 'skipped', 'of unknown outcome', 'not started', 'not started'] as const
  for (const [index, outcome] of ends.entries()) transfers.finish(index, outcome)
  expect(linesOf(transfers, now, lookOf(100))[0]).toMatch(
    / 1\/12 uploaded · 1 failed · 1 of unknown outcome · 2 skipped$/,
  )
})

test('the bytes of a file count as moved while the list is checked, and no longer when it is sent again', () => {
  const transfers = new Transfers(1, [10])
  transfers.start(0, 'a')
  transfers.move(0, 10, 10, now)
  transfers.event(
    0,
    { type: 'request', request: { method: 'GET', path: '/api/uploads' }, attempt: 1, headers: {} },
    now,
  )
  expect(transfers.bytes.moved).toBe(10)
  transfers.event(0, { type: 'retry', request: post, attempt: 1, delayMs: 5, reason: 'cut' }, now)
  expect(transfers.bytes.moved).toBe(0)
})

test('a resumed download counts earlier bytes as moved, and only the bytes of this run for its rate', () => {
  const transfers = new Transfers(1, [undefined])
  transfers.expect(byLink(2))
  transfers.start(0, 'a.mp4', 100 * MB)
  move(transfers, 100 * MB, 60 * MB, 70 * MB, 5)
  expect(linesOf(transfers, now, lookOf(80))).toEqual([
    'a.mp4                       ▕██████████████████░░░░░░░▏  70 %  2 MB/s  15 s left',
  ])
  move(transfers, 100 * MB, 0, 60 * MB, 60, now + 60_000)
  expect(linesOf(transfers, now + 60_000, lookOf(80))[0]).toMatch(/ 60 % {2}1\.0 MB\/s {2}40 s left$/)
})

test('the bar of a batch follows its files, since a quota counts those; bytes have a total once all sizes are known', () => {
  const transfers = new Transfers(4, [])
  transfers.start(0, 'a', 10 * MB)
  transfers.move(0, 5 * MB, 10 * MB, now)
  transfers.finish(1, 'failed')
  expect([transfers.share, transfers.bytes]).toEqual([1.5 / 4, { total: undefined, moved: 5 * MB }])
  expect(linesOf(transfers, now, lookOf(80))[0]).toMatch(/ 1 failed · 5 MB$/)
  for (const index of [2, 3]) transfers.start(index, 'b', 15 * MB)
  expect([transfers.share, transfers.bytes]).toEqual([1.5 / 4, { total: 40 * MB, moved: 5 * MB }])
})

test('with more files in transfer than rows, the last line counts those that are not shown', () => {
  const transfers = new Transfers(64, [])
  for (let index = 0; index < 30; index += 1) transfers.start(index, `${index}.png`)
  for (const rows of [1, 2, 5, 30, 31]) {
    const lines = linesOf(transfers, now, { ...lookOf(80), rows })
    expect(lines).toHaveLength(rows)
    expect(lines.at(-1)).toMatch(
      [/0\/64/, /^and 30 more$/, /^and 27 more$/, /^and 2 more$/, /^29\.png /][[1, 2, 5, 30, 31].indexOf(rows)] ?? /-/,
    )
  }
})
