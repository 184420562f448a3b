import { expect, test, vi } from 'vitest'
import { createForecaster } from '../../../../../src/cli/commands/upload/upload-forecast.ts'
import { instantClock } from '../../../../helpers/instant-clock.ts'

test('the files left are looked at only when the end of a batch is forecast: every two seconds, and with two files left', async () => {
  const clock = instantClock()
  const report = vi.fn()
  const expectedEnd = vi.fn(() => clock.now() + 60_000)
  const reportExpectedEnd = createForecaster(expectedEnd, { clock, reporter: { report } as never })
  for (let filesLeft = 1_000; filesLeft > 1; filesLeft--) {
    reportExpectedEnd(filesLeft)
    await clock.sleep(10)
  }
  reportExpectedEnd(1)
  expect([expectedEnd.mock.calls.length, report.mock.calls.length]).toEqual([5, 5])
})
