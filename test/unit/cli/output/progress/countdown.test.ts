import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Countdown, countDown } from '../../../../../src/cli/output/progress/countdown.ts'
import { bytesPerSecond, measured, startRate } from '../../../../../src/cli/output/progress/transfer-progress.ts'

const MB = 1_048_576

/** What is shown each second, given what is expected in each. */
function shownFor(expected: readonly (number | undefined)[]): readonly (number | undefined)[] {
  let shown: Countdown | undefined
  return expected.map((left, second) => {
    shown = countDown(shown, left, second * 1_000)
    return shown?.left
  })
}

test('a time left counts down by the clock while what is expected wavers by a tenth', () => {
  const seconds = Array.from({ length: 60 }, (_, second) => second)
  const exact = seconds.map((second) => 100_000 - second * 1_000)
  expect(shownFor(exact.map((left, second) => left * ([1.08, 0.92][(second - 1) % 2] ?? 1)))).toEqual(exact)
})

test('a time left never grows while what is expected stays within half of it, and follows it', () => {
  const noise = fc.array(fc.double({ min: 0.75, max: 1.3, noNaN: true }), { minLength: 60, maxLength: 60 })
  fc.assert(
    fc.property(noise, (factors) => {
      const shown = shownFor(factors.map((factor, second) => (600_000 - second * 1_000) * factor))
      for (const [second, left] of shown.entries()) {
        expect(left).toBeLessThanOrEqual(second === 0 ? 780_000 : (shown[second - 1] ?? 0))
      }
    }),
  )
  const slower = shownFor([100_000, ...Array.from({ length: 60 }, (_, second) => 140_000 - second * 1_000)])
  expect(slower.at(-1)).toBeGreaterThanOrEqual(81_000 * 0.9)
})

test('a time left jumps when something has happened, and goes when nothing is expected any more', () => {
  expect(shownFor([20_000, 600_000, 599_000, undefined, 30_000])).toEqual([20_000, 600_000, 599_000, undefined, 30_000])
})

test('a rate is known after two seconds of transfer, weighs the last seconds most, and pauses with the transfer', () => {
  let meter = startRate(0)
  const pass = (seconds: number, perSecond: number, isBusy = true) => {
    for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
      meter = measured(meter, meter.at + 100, isBusy ? 'moving' : 'none', isBusy ? perSecond / 10 : 0)
    }
    return bytesPerSecond(meter)
  }
  expect(pass(1.9, 4 * MB)).toBeUndefined()
  expect(pass(0.1, 4 * MB)).toBeCloseTo(4 * MB, -1)
  expect(pass(600, 0, false)).toBeCloseTo(4 * MB, -1)
  expect((pass(5, 2 * MB) ?? 0) / MB).toBeCloseTo(2.4, 0)
  expect((pass(30, 2 * MB) ?? 0) / MB).toBeCloseTo(2, 1)
  expect((pass(60, 0) ?? 0) / MB).toBeGreaterThan(1.4)
})

test('a rate of uneven chunks stays within a tenth of the mean', () => {
  let meter = startRate(0)
  const rates: number[] = []
  for (let second = 0; second < 60; second += 1) {
    meter = measured(meter, second * 1_000 + 1_000, 'moving', second % 2 === 0 ? 3 * MB : MB)
    if (second > 20) rates.push((bytesPerSecond(meter) ?? 0) / MB)
  }
  expect(Math.min(...rates)).toBeGreaterThan(1.8)
  expect(Math.max(...rates)).toBeLessThan(2.2)
})
