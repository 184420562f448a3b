import type { WindowName } from '../../protocol/rate-limits.ts'
import type { WaitSource } from '../pacer.ts'
import { refusalWait, unavailableWaitMs } from '../retry-after.ts'

/** A refusal as far as it is known. */
export interface Refusal {
  readonly at: number
  /** 503 is a service that is switched off, all else a quota without room. */
  readonly status: number
  /** Of a 429: the window its text names. */
  readonly window: WindowName | undefined
  /** How long the service asks to hold back. */
  readonly askedMs: number | undefined
}

/** After a refusal nothing is sent for a while, then one request at a time until one is not refused. */
export interface Gate {
  readonly source: Exclude<WaitSource, 'ledger'>
  /** The window the refusal named. */
  readonly window: WindowName | undefined
  /** The window that had no room, the minute where none was named; undefined where the service is switched off. */
  readonly refusing: WindowName | undefined
  readonly until: number
}

export interface Refusals {
  refuse(refusal: Refusal): void
  /** A request that was let through after the gate was not refused. */
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
      // Of several that were under way together, the one that asks for most.
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
