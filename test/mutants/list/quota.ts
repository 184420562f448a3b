const decision = 'test/unit/emulator/service/quota/quota.test.ts'
const windows = 'test/unit/emulator/service/quota/windows.test.ts'
const clamping = 'test/unit/emulator/service/quota/clamp-to-now.test.ts'
const wire = 'test/unit/emulator/settings/wire.test.ts'
const contract = 'test/contract/contract.test.ts'
const app = 'test/unit/emulator/http/app.test.ts'
const nextEvent = 'test/unit/emulator/control/next-event.test.ts'

/** Rules of the emulator's quotas. */
export const quota = `
emulator/service/quota/quota.ts: own, ${wire}, ${contract}
  quota-first-refuses: The first window without room refuses: burst, minute, hour, day
    - before.findIndex(
    + before.findLastIndex(
  quota-charge-rejected: With charge_rejected a refused request is charged
    - || rules.charge_rejected
  quota-charge-first: With charge_first every request is charged
    - || rules.quota_admission === 'charge_first'
  quota-exact-fit: A request that fills the window exactly is admitted
    - usedUnits(window) <= maxUsedBefore
    + usedUnits(window) < maxUsedBefore
  quota-overshoot: With overshoot a window refuses once it is full
    - 'overshoot' ? limit - 1
    + 'overshoot' ? limit
  quota-soft-delay: A refusal is not delayed as a warning
    - delayMs: isRefused ? 0 : softDelayMs
    + delayMs: softDelayMs
  quota-soft-delay-share: Replies are delayed from 80 % of the minute on, that share included
    - if (share < delayFromShare) return 0
    + if (share <= delayFromShare) return 0
  quota-unlimited-minute: Headers report the tightest window where the minute has no limit
    - return minute ?? tightest(windows)
    + return minute
  quota-tightest: The tightest window is the one with least remaining
    - status.remaining < least.remaining
    + status.remaining > least.remaining
  quota-retry-at: A refusal names the instant at which the request fits
    - retryAt: fits ?? resetOf(window)
    + retryAt: resetOf(window)

emulator/service/quota/quota-keeper.ts: ${decision}, ${clamping}, ${app}, ${wire}, ${nextEvent}
  keeper-own-limits: Limits of the account outweigh the settings
    - { ...settings.current.quotas, ...account.quotas }
    + { ...account.quotas, ...settings.current.quotas }
  keeper-stores-charge: A charge is stored
    - if (verdict.state !== state) quotas.put(account.keyHash, verdict.state)
  keeper-next-reset: The next reset is the earliest of all windows
    - at < next.at
    + at > next.at

emulator/service/quota/windows/sliding-window.ts: ${windows}, ${clamping}
  sliding-end: A charge counts no more exactly one length later
    - charges.filter(({ at }) => now < at + lengthMs)
    + charges.filter(({ at }) => now <= at + lengthMs)
  sliding-set-back: Setting the clock back adds no waiting time
    - if (aheadMs <= 0) return use
    + return use

emulator/service/quota/windows/sliding-counter.ts: ${windows}, ${clamping}
  counter-rounds-up: A share of a unit counts as a whole one
    - Math.ceil((unitsBefore * reached) / moment.lengthMs)
    + Math.floor((unitsBefore * reached) / moment.lengthMs)
  counter-before: The units of the period before count by their share
    - use.units : 0
    + 0 : 0

emulator/service/quota/windows/stepped-window.ts: ${windows}, ${decision}
  stepped-end: A fixed window is empty at its end
    - now < use.startedAt + lengthMs
    + now <= use.startedAt + lengthMs
  stepped-refund: A charge of an earlier window is not refunded in this one
    - current === undefined || charge.at < current.startedAt
    + current === undefined

emulator/service/quota/windows/token-bucket.ts: ${windows}, ${decision}
  bucket-rounds-up: A part of a missing unit counts as a whole one
    - Math.ceil(debt(use, moment) / moment.lengthMs)
    + Math.floor(debt(use, moment) / moment.lengthMs)
  bucket-refills: A bucket refills as time passes
    - use.debt - (now - use.at) * limit
    + use.debt

emulator/service/quota/windows/window-kinds.ts: ${clamping}, ${windows}, ${wire}, ${app}, ${contract}
  windows-convert: Units that count still count after the kind of window was changed
    - return units === 0 ? undefined : windowRules[kind].charged(undefined, units, moment)
    + return undefined

emulator/http/response/rate-headers.ts: own, ${app}, ${wire}, ${contract}
  wire-retry-after-up: Retry-After is rounded up
    - Math.max(Math.ceil((retryAt - now) / 1_000), 1)
    + Math.max(Math.floor((retryAt - now) / 1_000), 1)
  wire-retry-after-least: Retry-After is a second at least
    - Math.max(Math.ceil((retryAt - now) / 1_000), 1)
    + Math.ceil((retryAt - now) / 1_000)
  wire-retry-after-date: Retry-After as a date is rounded up
    - httpDate(Math.ceil(retryAt / 1_000) * 1_000)
    + httpDate(Math.floor(retryAt / 1_000) * 1_000)
  wire-reset-up: Reset is rounded up
    - return Math.ceil(resetsAt / 1_000)
    + return Math.floor(resetsAt / 1_000)
  wire-cost-of-refusal: A refused request has a cost header only if it cost something
    - refusal === undefined || charged > 0 || settings.rate_headers === 'all'
    + true
  wire-success-only: With rate_headers success a failure has no quota headers
    - return passedLimiter && status < 300
    + return passedLimiter

emulator/http/admission.ts: ${app}, ${wire}, ${contract}
  refund-of-failure: Without charge_failed a failed request costs nothing
    - settings.current.charge_failed ||
    + true ||
  refund-only-served: Without charge_failed a refused request is not refunded, because the service did not serve it
    - !context.isServed ||
`
