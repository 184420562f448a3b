import type { Strategy } from '../../../test/pacing/simulation/strategy.ts'
import { askedWaitMs } from './asked-wait.ts'

/** Like octokit's throttling: ten under way, one write a second; after a refusal only the refused request waits. */
export const oneWriteASecond: Strategy = {
  name: 'one write a second',
  jobs: 10,
  start({ clock }) {
    let nextAt = clock.now()
    return async (send) => {
      for (;;) {
        const sendAt = Math.max(nextAt, clock.now())
        nextAt = sendAt + 1_000
        await clock.sleep(sendAt - clock.now())
        const answer = await send(10)
        if (answer.status !== 429) return true
        await clock.sleep(askedWaitMs(answer) ?? 60_000)
      }
    }
  },
}

/** After a refusal no request is sent until Retry-After is over. */
export const pauseEverything: Strategy = {
  name: 'pause everything',
  jobs: 4,
  start({ clock }) {
    let pausedUntil = 0
    return async (send) => {
      for (;;) {
        while (pausedUntil > clock.now()) await clock.sleep(pausedUntil - clock.now())
        const answer = await send(10)
        if (answer.status !== 429) return true
        pausedUntil = Math.max(pausedUntil, clock.now() + (askedWaitMs(answer) ?? 1_000))
      }
    }
  },
}
