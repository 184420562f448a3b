import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createPlayground } from './files.ts'
import { plots } from './plot.ts'
import { tell } from './tell.ts'

const playground = createPlayground()
afterAll(() => playground.close())

/** A failure is told with its seed before the test's own time is over, however long it could still be shortened. */
const TIME_LIMIT_MS = 20_000

test('no file is lost, doubled or wrongly reported, whatever fails and whenever the program is killed', async () => {
  const seed = process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }
  await fc.assert(
    fc.asyncProperty(plots, async (plot) => {
      const { violations } = await tell(plot, playground)
      expect(violations).toEqual([])
    }),
    { numRuns: Number(process.env['RUNS'] ?? 300), interruptAfterTimeLimit: TIME_LIMIT_MS, ...seed },
  )
}, 60_000)
