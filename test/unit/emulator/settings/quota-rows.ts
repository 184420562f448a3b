import type { Emulator } from '../../../../emulator/index.ts'
import { unlimited } from '../../../../src/protocol/rate-limits.ts'
import { send } from '../emulated.ts'
import { emptyUpload, header, missing, row, stats, statuses } from './wire-row.ts'

/** Sends until a request is refused; returns how many were admitted and the seconds in the refusal. */
async function untilRefused(emulator: Emulator): Promise<readonly [number, number]> {
  for (let count = 0; ; count += 1) {
    const response = await stats(emulator)()
    if (response.status === 429) return [count, Number(response.headers.get('Retry-After'))]
  }
}

/** Half a window is used, and four seconds later the rest. */
async function unitsBack(emulator: Emulator) {
  await emulator.control.clock.advance(2_000)
  for (let count = 0; count < 5; count += 1) await stats(emulator)()
  await emulator.control.clock.advance(4_000)
  const [count, seconds] = await untilRefused(emulator)
  await emulator.control.clock.advance(seconds * 1_000)
  return [count, seconds, (await untilRefused(emulator))[0]]
}

const threeCalls = (emulator: Emulator) => statuses(emptyUpload(emulator), emptyUpload(emulator), stats(emulator))
const costs = (emulator: Emulator) => emulator.control.requests.list().requests.map(({ cost }) => cost)

const quotaHeaders = ({ headers }: Response) =>
  ['Cost', 'Limit', 'Remaining'].map((name) => headers.get(`X-RateLimit-${name}`)).join()

async function retryAfter(emulator: Emulator) {
  await stats(emulator)()
  await emulator.control.clock.advance(1_500)
  return header('Retry-After')(emulator)
}

async function allQuotaHeaders(emulator: Emulator) {
  const wrongKey = () => send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })
  const noRoute = () => send(emulator, 'GET', '/api/none')
  const found: string[] = []
  for (const call of [stats(emulator), missing(emulator), stats(emulator), wrongKey, noRoute]) {
    found.push(quotaHeaders(await call()))
  }
  return found
}

async function costOfFailures(emulator: Emulator) {
  const headers = [quotaHeaders(await missing(emulator)()), quotaHeaders(await emptyUpload(emulator)())]
  return [...headers, ...costs(emulator)]
}

async function delayMs(emulator: Emulator) {
  const before = emulator.clock.now()
  await stats(emulator)()
  return emulator.clock.now() - before
}

const burst = (units: number) => ({ quotas: { ...unlimited, burst: units } })
const minute = { quotas: { minute: 60 } }

export const quotaRows = [
  row('quotas', { minute: 7 }, '7', header('X-RateLimit-Limit')),
  row('quota_windows', 'aligned', [5, 4, 10], unitsBack, burst(10)),
  row('quota_windows', 'sliding', [5, 6, 5], unitsBack, burst(10)),
  row('quota_windows', 'token_bucket', [9, 1, 1], unitsBack, burst(10)),
  row('quota_admission', 'overshoot', [422, 422, 429], threeCalls, burst(15)),
  row('charge_rejected', true, [10, 10, 1], async (it) => (await threeCalls(it)) && costs(it), burst(15)),
  row('charge_failed', false, ['0,60,60', '0,60,60', 0, 0], costOfFailures, { quotas: { burst: 10, minute: 60 } }),
  row('rate_headers', 'all', ['1,60,59', '1,60,58', '0,60,58', '0,60,60', '0,60,60'], allQuotaHeaders, {
    quotas: { burst: 2, minute: 60 },
  }),
  row('reset_format', 'epoch_ms', '1768478460000', header('X-RateLimit-Reset'), minute),
  row('retry_after', 'http_date', 'Thu, 15 Jan 2026 12:00:10 GMT', retryAfter, burst(1)),
  row('retry_after', 'zero', '0', retryAfter, burst(1)),
  row('soft_delay', 'off', 0, delayMs, { quotas: { ...unlimited, minute: 1 } }),
]
