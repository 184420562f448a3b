import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock/clock.ts'
import { downloadForecast } from '../../../../../src/cli/batch/forecast.ts'
import { createPlainProgress } from '../../../../../src/cli/output/progress/plain-progress.ts'
import { Transfers } from '../../../../../src/cli/output/progress/transfers.ts'

const MB = 1_048_576

/** The heartbeats of a batch of files of 10 MB; the clock's seconds are before each line. */
function logOf(files: number) {
  const clock = createVirtualClock()
  const startedAt = clock.now()
  const lines: string[] = []
  const say = (line: string) => {
    // As the reporter does it.
    progress.above(() => lines.push(`${(clock.now() - startedAt) / 1_000} ${line}`))
  }
  const progress = createPlainProgress(say, clock)
  const transfers = new Transfers(clock).begin(Array<number>(files).fill(10 * MB))
  progress.start(transfers)
  transfers.expect(downloadForecast(1, clock))
  return {
    lines,
    async pass(seconds: number, then: () => void = () => {}) {
      await clock.advance(seconds * 1_000)
      then()
    },
    begin: (index: number) => transfers.start(index, `${index}\u001b.jpg`, 10 * MB),
    move: (index: number, bytes: number) => transfers.move(index, bytes, 10 * MB),
    finish(index: number) {
      say(`uploaded ${index}`)
      transfers.finish(index, 'uploaded')
    },
    end: () => progress.end(),
  }
}

test('a log has a line at each quarter of a file, with its name, and after 30 seconds without any', async () => {
  const log = logOf(1)
  log.begin(0)
  for (const quarter of [1, 2, 3]) await log.pass(10, () => log.move(0, 2.5 * MB * quarter))
  await log.pass(40)
  log.end()
  expect(log.lines).toEqual([
    '11 0\\x1b.jpg, 25 %',
    expect.stringMatching(/^21 0\\x1b\.jpg, 50 %, about [\d.]+ s left$/),
    expect.stringMatching(/^31 0\\x1b\.jpg, 75 %, about [\d.]+ s left$/),
    expect.stringMatching(/^61 0\\x1b\.jpg, 75 %, about /),
  ])
})

test('files that finish one after the other leave no room for lines about quarters', async () => {
  const log = logOf(8)
  for (let index = 0; index < 8; index += 1) {
    log.begin(index)
    await log.pass(4, () => log.finish(index))
  }
  await log.pass(1)
  log.end()
  expect(log.lines).toHaveLength(8)
})

test('fh prints a quarter that a finished file completes once nothing else was printed for five seconds', async () => {
  const log = logOf(4)
  log.begin(0)
  await log.pass(1, () => log.finish(0))
  await log.pass(20)
  log.end()
  expect(log.lines).toEqual(['1 uploaded 0', '6 1 of 4 files, 25 %'])
})
