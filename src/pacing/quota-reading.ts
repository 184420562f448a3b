import type { WindowName } from '../protocol/rate-limits.ts'
import type { QuotaModel } from './ledger.ts'
import type { Quota, WaitSource } from './pacer.ts'

/** A ledger's state at one moment. */
export interface QuotaReading {
  /** Epoch milliseconds. */
  readonly at: number
  readonly windows: Quota
  /** What holds back every request apart from the count: a refusal, or a service that is switched off. */
  readonly hold: QuotaHold | undefined
}

export interface QuotaHold {
  /** Epoch milliseconds; undefined while a request is under way that finds out whether the hold is over. */
  readonly until: number | undefined
  readonly window: WindowName | undefined
  readonly source: Exclude<WaitSource, 'ledger'>
}

export function readQuota(model: QuotaModel, at: number): QuotaReading {
  const verdict = model.verdict(1, at)
  const isHeld = verdict.type === 'later' && verdict.source !== 'ledger'
  const hold = isHeld ? { until: verdict.at, window: verdict.window, source: verdict.source } : undefined
  return { at, windows: model.windows(at), hold }
}
