import type { Strategy } from '../../../test/pacing/simulation/strategy.ts'
import { askedWaitMs } from './asked-wait.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_BACKOFF_MS = 600_000
const LONGEST_ASKED_MS = 6 * 3_600_000

/** `curl --retry`: each transfer alone, Retry-After up to six hours, else a wait that doubles from one second. */
function curl(name: string, jobs: number): Strategy {
  return {
    name,
    jobs,
    start:
      ({ clock }) =>
      async (send) => {
        for (let backoffMs = FIRST_WAIT_MS; ; backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)) {
          const answer = await send(10)
          if (answer.status !== 429) return true
          await clock.sleep(Math.min(askedWaitMs(answer) ?? backoffMs, LONGEST_ASKED_MS))
        }
      },
  }
}

export const sequentialCurl = curl('curl --retry, one by one', 1)

export const parallelCurl = curl('xargs -P4 curl --retry', 4)

/** A script without retries. */
export const withoutRetry: Strategy = {
  name: 'no retry',
  jobs: 4,
  start: () => async (send) => (await send(10)).status !== 429,
}
