import type { WindowName } from '../../protocol/rate-limits.ts'
import type { WaitSource } from '../pacer.ts'
import { refusalWait, unavailableWaitMs } from '../retry-after.ts'

/** A 429 or 503. */
export interface Refusal {
  readonly at: number
  /** 503: the service is switched off. 429: a quota has no room. */
  readonly status: number
  /** The window that a 429's text names. */
  readonly window: WindowName | undefined
  /** The parsed Retry-After. */
  readonly askedMs: number | undefined
}

/** After a refusal the gate is shut for a while; then it lets one request through at a time until one succeeds. */
export interface Gate {
  readonly source: Exclude<WaitSource, 'ledger'>
  /** The window that the refusal named. */
  readonly window: WindowName | undefined
  /** The window without room: the minute if none was named; undefined if the service is switched off. */
  readonly refusing: WindowName | undefined
  readonly until: number
}

export interface Refusals {
  refuse(refusal: Refusal): void
  /** A request that the gate let through was not refused. */
  lift(): void
  gate(): Gate | undefined
  clampTo(now: number): void
}

export function createRefusals(): Refusals {
  let gate: (Gate & { readonly from: number }) | undefined
  let inARow = 0

  return {
    refuse({ at, status, window, askedMs }) {
      inARow += 1
      const wait = status === 503 ? { ms: unavailableWaitMs(askedMs, inARow) } : refusalWait(askedMs, window, inARow)
      const until = at + wait.ms
      // Of several requests refused together, the longest wait counts.
      if (gate && gate.until > until) return
      const of =
        'isGuess' in wait
          ? ({ source: wait.isGuess ? 'guess' : 'retry-after', refusing: window ?? 'minute' } as const)
          : ({ source: 'unavailable', refusing: undefined } as const)
      gate = { ...of, window, from: at, until }
    },
    lift() {
      gate = undefined
      inARow = 0
    },
    gate: () => gate,
    clampTo(now) {
      if (gate && gate.from > now) gate = { ...gate, from: now, until: now + gate.until - gate.from }
    },
  }
}
