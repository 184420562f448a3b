import type { QuotaModel } from './quota-model/quota-model.ts'

/** A ledger's state at one moment. */
export type QuotaReading = ReturnType<typeof readQuota>

/** @param at epoch milliseconds */
export function readQuota(model: QuotaModel, at: number) {
  const verdict = model.verdict(1, at)
  const isHeld = verdict.type === 'later' && verdict.source !== 'ledger'
  return {
    at,
    windows: model.windows(at),
    /**
     * What holds back every request apart from the count: a refusal, or a service that is switched off. `until` is undefined
     * while a request is under way that finds out whether the hold is over.
     */
    hold: isHeld ? { until: verdict.at, window: verdict.window, source: verdict.source } : undefined,
  }
}
