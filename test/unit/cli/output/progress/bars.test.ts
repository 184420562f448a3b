import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { createBars } from '../../../../../src/cli/output/progress/bars.ts'
import { Transfers } from '../../../../../src/cli/output/progress/transfers.ts'
import { createPalette } from '../../../../../src/cli/output/terminal/terminal.ts'
import { systemClock } from '../../../../../src/clock.ts'

test('the first frame below a new line counts what the line tells, and a last line is not lost', async () => {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 80, rows: 24 })
  let printed = ''
  stream.on('data', (text) => {
    printed += text
  })
  const options = { pushesCursor: false, palette: await createPalette(false), clock: systemClock }
  const bars = createBars(stream as never, options)
  const transfers = new Transfers(systemClock).begin([undefined, undefined])
  bars.start(transfers)
  bars.above(() => stream.write('a link\n'))
  transfers.finish(0, 'uploaded')
  await vi.waitFor(() => expect(/a link.*?(\d)\/2/s.exec(printed)?.[1]).toBe('1'))
  bars.above(() => stream.write('the last link\n'))
  bars.end()
  expect(printed).toContain('the last link')
})
