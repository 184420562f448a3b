// One of the processes of shared-ledger.bench.mjs: uploads until it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, createSharedLedger } from '../dist/index.js'

const [baseUrl, folder, speedText, only] = process.argv.slice(2)
const speed = Number(speedText)
/** Start of the faster time in epoch milliseconds, the same for all processes. */
const epoch = Date.parse('2026-01-01T00:00:00Z')
const clock = {
  now: () => epoch + (Date.now() - epoch) * speed,
  sleep: (ms, signal) => sleep(Math.min(ms / speed, 2 ** 31 - 1), undefined, { signal }),
}
const limits =
  only === 'burst'
    ? { burst: 20, minute: null, hour: null, day: null }
    : { burst: 20, minute: 60, hour: 1_000, day: 10_000 }
const ledger = timed(createSharedLedger({ folder, baseUrl, apiKey: 'bench', limits, clock }))
const client = createClient({ baseUrl, apiKey: 'bench', pacing: { ledger }, clock, userAgent: `worker/${process.pid}` })

for (;;) await client.request('POST', '/api/upload', { body: 'x' }).catch(() => {})

/** Reports to the parent how long each ledger call took, in real milliseconds, and the requests under way after it. */
function timed(inner) {
  let underWay = 0
  const measure =
    (call, change) =>
    async (...args) => {
      const startedAt = performance.now()
      const result = await call(...args)
      underWay += change(result)
      process.send?.({ tookMs: performance.now() - startedAt, underWay })
      return result
    }
  return {
    ...inner,
    reserve: measure(inner.reserve, ({ type }) => (type === 'granted' ? 1 : 0)),
    settle: measure(inner.settle, () => -1),
  }
}
