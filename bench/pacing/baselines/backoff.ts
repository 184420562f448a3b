import type { Strategy } from '../../../test/pacing/simulation/strategy.ts'
import { askedWaitMs } from './asked-wait.ts'

const BASE_MS = 500
const LONGEST_MS = 20_000
const HINT_REACH_MS = 5_000

/** Retries like the AWS SDK's standard mode, without its limit of attempts: full jitter; Retry-After adds at most 5 s. */
export const exponentialBackoff: Strategy = {
  name: 'exponential backoff',
  jobs: 4,
  start:
    ({ clock, random }) =>
    async (send) => {
      for (let attempt = 0; ; attempt += 1) {
        const answer = await send(10)
        if (answer.status !== 429) return true
        const backoffMs = random() * Math.min(BASE_MS * 2 ** attempt, LONGEST_MS)
        const hintMs = askedWaitMs(answer) ?? backoffMs
        await clock.sleep(Math.min(Math.max(hintMs, backoffMs), backoffMs + HINT_REACH_MS))
      }
    },
}
