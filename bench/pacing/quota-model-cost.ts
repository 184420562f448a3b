import type { QuotaModel } from '../../src/pacing/ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'

const ENTRIES = 10_000
const REQUESTS = 2_000
/** Spreads the entries evenly over a day. */
const GAP_MS = 8_640

/** Time that the quota model takes per request, with a whole day of requests in it. */
export function printQuotaModelCost(): void {
  const model = createQuotaModel()
  const startAt = Date.UTC(2026, 0, 15)
  const readFrom = performance.now()
  for (let entry = 0; entry < ENTRIES; entry += 1) pass(model, String(entry), startAt + entry * GAP_MS)
  const readMs = performance.now() - readFrom
  const times: number[] = []
  for (let entry = ENTRIES; entry < ENTRIES + REQUESTS; entry += 1) {
    const before = performance.now()
    pass(model, String(entry), startAt + entry * GAP_MS)
    times.push(performance.now() - before)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => `${(times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(3)} ms`
  console.log(
    `\nThe quota model, per request on top of ${ENTRIES.toLocaleString('en')}: verdict, reservation and settlement`,
  )
  console.table([{ median: at(0.5), p99: at(0.99), max: at(1), 'all of them': `${readMs.toFixed(0)} ms` }])
}

function pass(model: QuotaModel, id: string, at: number): void {
  model.verdict(1, at)
  model.apply({ type: 'reserve', id, at, cost: 1 })
  const outcome = {
    type: 'answered',
    at: at + 100,
    status: 200,
    report: { limit: 60, remaining: 59, cost: 1 },
  } as const
  model.apply({ type: 'settle', id, outcome })
}
