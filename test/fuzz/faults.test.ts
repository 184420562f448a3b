import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'
import { createPlayground } from './files.ts'
import { tell } from './run-scenario.ts'
import { plots } from './scenario.ts'

const playground = createPlayground()
afterAll(() => playground.close())

test(
  'no file is lost, doubled or wrongly reported, whatever fails and whenever the program is killed',
  takesLong(300, 'it tells 300 stories, and RUNS=… more'),
  async () => {
    await fc.assert(
      fc.asyncProperty(plots, async (plot) => {
        const { violations } = await tell(plot, playground)
        expect(violations).toEqual([])
      }),
      { numRuns: Number(process.env['RUNS'] ?? 300) },
    )
  },
)
