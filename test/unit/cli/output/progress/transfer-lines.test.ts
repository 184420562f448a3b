import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { downloadForecast, forecastBy } from '../../../../../src/cli/batch/forecast.ts'
import { transferLines } from '../../../../../src/cli/output/progress/transfer-lines.ts'
import { Transfers } from '../../../../../src/cli/output/progress/transfers.ts'
import { createPalette } from '../../../../../src/cli/output/terminal/terminal.ts'
import { loadWidths, textWidth } from '../../../../../src/cli/output/terminal/terminal-text.ts'
import type { ClientEvent } from '../../../../../src/index.ts'
import { forecastUploads } from '../../../../../src/pacing/forecast.ts'

await loadWidths()

const MB = 1_048_576
const start = 1_000_000
/** What the clock shows. */
let now = start
const clockNow = () => now
const palette = await createPalette(false)
const lookOf = (width: number) => ({ width, rows: 24, palette, now })
const linesOf = transferLines
const clock = { now: clockNow, sleep: async () => {} }
const unknown = (count: number) => Array<undefined>(count).fill(undefined)
const byLink = (jobs = 1) => downloadForecast(jobs, clock)

/** Reports the bytes of the first file, evenly, each second until now. */
function move(transfers: Transfers, size: number, from: number, to: number, seconds: number, index = 0) {
  const end = now
  for (let left = seconds; left >= 0; left -= 1) {
    now = end - left * 1_000
    transfers.move(index, to - ((to - from) * left) / seconds, size)
  }
}

afterEach(() => {
  now = start
  vi.unstubAllEnvs()
})

const post = { method: 'POST', path: '/api/upload' }
const posted: ClientEvent = { type: 'request', request: post, attempt: 1, headers: {} }
const wait: ClientEvent = { type: 'wait', request: post, window: 'minute', source: 'ledger', delayMs: 42_000 }

function busyRun() {
  const sizes = [10, 20, ...Array<number>(10).fill(18)].map((size) => size * MB)
  const transfers = new Transfers(clock).begin(sizes)
  transfers.start(0, 'first.png')
  transfers.move(0, 10 * MB, 10 * MB)
  transfers.finish(0, 'uploaded')
  transfers.start(1, 'holidays/a-rather-long-name-of-a-photo-0001.jpg')
  transfers.event(1, posted)
  now += 4_000
  move(transfers, 20 * MB, 0, 12 * MB, 4, 1)
  transfers.start(2, 'second.png')
  transfers.event(2, wait)
  transfers.expect(() => 500_000)
  return transfers
}

test.each([
  [
    80,
    '▕███░░░░░░░░░░░░░░░░░░░▏ 1/12 · 8 min 20 s left · 3 MB/s',
    'holidays/a-…oto-0001.jpg  ▕█████████████░░░░░░░░░▏ 60 %',
    'second.png                Waiting 42 s for the minute quota, until 00:17:26',
  ],
  [
    40,
    '▕█░░░░░░░░▏ 1/12 · 8 min 20 s left',
    'holid…1.jpg  ▕█████░░░░▏ 60 %',
    'second.png   Waiting 42 s …ntil 00:17:26',
  ],
])('progress in %d columns has a line for the batch and each file, as far as there is room', (width, ...lines) => {
  vi.stubEnv('TZ', 'UTC')
  expect(linesOf(busyRun(), lookOf(width))).toEqual(lines)
})

test('progress is never wider than the terminal, for any file name', () => {
  const size = fc.option(fc.integer({ min: 0, max: 300 * MB }), { nil: undefined })
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), size, fc.integer({ min: 20, max: 200 }), (name, bytes, width) => {
      const transfers = new Transfers(clock).begin([bytes, bytes, bytes])
      transfers.start(0, name)
      transfers.event(0, posted)
      now += 4_000
      transfers.move(0, Math.floor((bytes ?? 9) / 3), bytes)
      transfers.start(1, name)
      transfers.event(1, wait)
      for (const line of linesOf(transfers, lookOf(width))) {
        expect(textWidth(line)).toBeLessThanOrEqual(width)
      }
    }),
  )
})

test('the time left of a batch under quota is shown as soon as nothing moves at an unknown rate', () => {
  const limits = { burst: 10, minute: 10, hour: null, day: null }
  const forecast = forecastBy((sizes, pace) => forecastUploads(sizes, { ...pace, now, limits }), clock)
  const transfers = new Transfers(clock).begin([10, 10, 10])
  transfers.expect(forecast)
  transfers.start(0, 'a.png')
  transfers.move(0, 5, 10)
  expect(transfers.timeLeft).toBeUndefined()
  transfers.event(0, wait)
  expect(transfers.timeLeft).toBeGreaterThan(100_000)
})

test('the line of the batch counts all files that have ended, and apart those that were not sent', () => {
  const transfers = new Transfers(clock).begin(unknown(12))
  const ends = ['uploaded', 'skipped', 'failed', 'skipped', 'of unknown outcome'] as const
  for (const [index, outcome] of ends.entries()) transfers.finish(index, outcome)
  expect(linesOf(transfers, lookOf(100))[0]).toMatch(/ 5\/12 · 2 skipped · 1 failed · 1 of unknown outcome$/)
})

test('a file counts as sent while the list is checked, and no longer when it is sent again', () => {
  const transfers = new Transfers(clock).begin([10])
  transfers.start(0, 'a')
  transfers.move(0, 10, 10)
  transfers.event(0, {
    type: 'request',
    request: { method: 'GET', path: '/api/uploads' },
    attempt: 1,
    headers: {},
  })
  expect(transfers.share).toBe(1)
  transfers.event(0, { type: 'retry', request: post, attempt: 1, delayMs: 5, reason: 'cut' })
  expect(transfers.share).toBe(0)
})

test('a resumed download counts earlier bytes as moved, and only the bytes of this run for its rate', () => {
  const transfers = new Transfers(clock).begin([undefined])
  transfers.expect(byLink(2))
  transfers.start(0, 'a.mp4', 100 * MB)
  now += 5_000
  move(transfers, 100 * MB, 60 * MB, 70 * MB, 5)
  expect(linesOf(transfers, lookOf(80))).toEqual([
    'a.mp4                     ▕███████████████░░░░░░░▏ 70 % · 15 s left · 2 MB/s',
  ])
})

test('with more files in transfer than rows, the first are shown', () => {
  const transfers = new Transfers(clock).begin(unknown(64))
  for (let index = 0; index < 30; index += 1) transfers.start(index, `${index}.png`)
  for (const rows of [1, 2, 5, 31]) expect(linesOf(transfers, { ...lookOf(80), rows })).toHaveLength(rows)
})
