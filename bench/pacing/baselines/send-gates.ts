import type { Clock } from '../../../src/clock.ts'
import { defaultLimits, windowLengthMs, windowNames } from '../../../src/protocol/rate-limits.ts'
import type { Strategy } from '../../../test/pacing/simulation/strategy.ts'
import { askedWaitMs } from './asked-wait.ts'

/** How long to wait before sending; undefined once the request is counted. */
type Gate = (now: number) => number | undefined

/**
 * Sends when a gate opens.
 * @param again whether a retry after a refusal passes the gate and is counted again, or is sent directly
 */
function gated(name: string, again: 'through-gate' | 'directly', openGate: (now: number) => Gate): Strategy {
  return {
    name,
    jobs: 4,
    start({ clock }) {
      const gate = openGate(clock.now())
      return async (send) => {
        await pass(gate, clock)
        for (;;) {
          const answer = await send(10)
          if (answer.status !== 429) return true
          await clock.sleep(askedWaitMs(answer) ?? 1_000)
          if (again === 'through-gate') await pass(gate, clock)
        }
      }
    },
  }
}

async function pass(gate: Gate, clock: Clock): Promise<void> {
  for (let waitMs = gate(clock.now()); waitMs !== undefined; waitMs = gate(clock.now())) await clock.sleep(waitMs)
}

const MINUTE_MS = 60_000

/** 60 units at once, coming back one a second. */
export const clientTokenBucket = gated('token bucket, 60 a minute', 'through-gate', (startAt) => {
  let tokens = 60
  let filledAt = startAt
  return (now) => {
    tokens = Math.min(60, tokens + ((now - filledAt) * 60) / MINUTE_MS)
    filledAt = now
    if (tokens < 10) return ((10 - tokens) * MINUTE_MS) / 60 + 1
    tokens -= 10
    return undefined
  }
})

/** Like bottleneck's reservoir: 60 units, all restored every minute after the start. */
export const reservoir = gated('reservoir of 60 a minute', 'directly', (startAt) => {
  let left = 60
  let refilledAt = startAt
  return (now) => {
    const minutes = Math.floor((now - refilledAt) / MINUTE_MS)
    if (minutes > 0) left = 60
    refilledAt += minutes * MINUTE_MS
    if (left < 10) return refilledAt + MINUTE_MS - now
    left -= 10
    return undefined
  }
})

/** All four windows, counted as sliding logs at the moment of sending, to the millisecond. */
export const countedAtSend = gated('four windows, counted at send', 'through-gate', () => {
  const sentAt: number[] = []
  return (now) => {
    const waits = windowNames.map((name) => {
      const oldest = sentAt.at(-(defaultLimits[name] / 10))
      return oldest === undefined ? 0 : oldest + windowLengthMs[name] - now
    })
    const waitMs = Math.max(...waits)
    if (waitMs > 0) return waitMs
    sentAt.push(now)
    return undefined
  }
})
