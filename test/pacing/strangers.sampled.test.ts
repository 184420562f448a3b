import { expect, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'
import { isRest } from '../sampling/sample.ts'
import { strangers } from './simulation/other-client.ts'
import { ours } from './simulation/ours.ts'
import { combined, seedsFrom } from './simulation/scenarios.ts'
import { summarize } from './simulation/summary.ts'

test(
  'when a stranger uses half of the hour, at most a third of its requests and 6 % of our uploads are refused',
  takesLong(120, 'each stranger simulates 400 uploads a seed'),
  async () => {
    // Single seeds differ by half, so the sample is always the same one, and the rest has the mean of three.
    const seeds = seedsFrom(10, isRest ? 3 : 1)
    const sharesOf = strangers.map(async (stranger) => {
      const summary = await summarize(ours, combined({ files: 400, stranger, seeds }))
      expect(summary.refusedShare, stranger).toBeLessThanOrEqual(0.06)
      expect(summary.lostFiles, stranger).toBe(0)
      return summary.strangerRefusedShare
    })
    const shares = await Promise.all(sharesOf)
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeLessThanOrEqual(1 / 3)
  },
)
