import type { MutantsOfFile } from '../mutate.ts'

const decision = 'test/unit/emulator/service/quota/quota.test.ts'
const windows = 'test/unit/emulator/service/quota/windows.test.ts'
const clamping = 'test/unit/emulator/service/quota/clamp-to-now.test.ts'
const wire = 'test/unit/emulator/settings/wire.test.ts'
const contract = 'test/contract/contract.test.ts'
const app = 'test/unit/emulator/http/app.test.ts'

/** Rules of the emulator's quotas. */
export const quota: readonly MutantsOfFile[] = [
  {
    file: 'emulator/service/quota/quota.ts',
    tests: [decision, wire, contract],
    mutants: [
      {
        id: 'quota-first-refuses',
        rule: 'The first window without room refuses: burst, minute, hour, day',
        from: 'before.findIndex(',
        to: 'before.findLastIndex(',
      },
      {
        id: 'quota-charge-rejected',
        rule: 'With charge_rejected a refused request is charged',
        from: ' || rules.charge_rejected',
        to: '',
      },
      {
        id: 'quota-charge-first',
        rule: 'With charge_first every request is charged',
        from: " || rules.quota_admission === 'charge_first'",
        to: '',
      },
      {
        id: 'quota-exact-fit',
        rule: 'A request that fills the window exactly is admitted',
        from: 'usedUnits(window) <= maxUsedBefore',
        to: 'usedUnits(window) < maxUsedBefore',
      },
      {
        id: 'quota-overshoot',
        rule: 'With overshoot a window refuses once it is full',
        from: "'overshoot' ? limit - 1",
        to: "'overshoot' ? limit",
      },
      {
        id: 'quota-soft-delay',
        rule: 'A refusal is not delayed as a warning',
        from: 'delayMs: isRefused ? 0 : softDelayMs',
        to: 'delayMs: softDelayMs',
      },
      {
        id: 'quota-soft-delay-share',
        rule: 'Replies are delayed from 80 % of the minute on, that share included',
        from: 'if (share < delayFromShare) return 0',
        to: 'if (share <= delayFromShare) return 0',
      },
      {
        id: 'quota-unlimited-minute',
        rule: 'Headers report the tightest window where the minute has no limit',
        from: 'return minute ?? tightest(windows)',
        to: 'return minute',
      },
      {
        id: 'quota-tightest',
        rule: 'The tightest window is the one with least remaining',
        from: 'status.remaining < least.remaining',
        to: 'status.remaining > least.remaining',
      },
      {
        id: 'quota-retry-at',
        rule: 'A refusal names the instant at which the request fits',
        from: 'retryAt: fits ?? resetOf(window)',
        to: 'retryAt: resetOf(window)',
      },
    ],
  },
  {
    file: 'emulator/service/quota/quota-keeper.ts',
    tests: [decision, clamping, app, wire, 'test/unit/emulator/control/next-event.test.ts'],
    mutants: [
      {
        id: 'keeper-own-limits',
        rule: 'Limits of the account outweigh the settings',
        from: '{ ...settings.current.quotas, ...account.quotas }',
        to: '{ ...account.quotas, ...settings.current.quotas }',
      },
      {
        id: 'keeper-stores-charge',
        rule: 'A charge is stored',
        from: 'if (verdict.state !== state) quotas.put(account.keyHash, verdict.state)',
        to: '',
      },
      {
        id: 'keeper-next-reset',
        rule: 'The next reset is the earliest of all windows',
        from: 'at < next.at',
        to: 'at > next.at',
      },
    ],
  },
  {
    file: 'emulator/service/quota/windows/sliding-window.ts',
    tests: [windows, clamping],
    mutants: [
      {
        id: 'sliding-end',
        rule: 'A charge counts no more exactly one length later',
        from: 'charges.filter(({ at }) => now < at + lengthMs)',
        to: 'charges.filter(({ at }) => now <= at + lengthMs)',
      },
      {
        id: 'sliding-set-back',
        rule: 'Setting the clock back adds no waiting time',
        from: 'if (aheadMs <= 0) return use',
        to: 'return use',
      },
    ],
  },
  {
    file: 'emulator/service/quota/windows/sliding-counter.ts',
    tests: [windows, clamping],
    mutants: [
      {
        id: 'counter-rounds-up',
        rule: 'A share of a unit counts as a whole one',
        from: 'Math.ceil((unitsBefore * reached) / moment.lengthMs)',
        to: 'Math.floor((unitsBefore * reached) / moment.lengthMs)',
      },
      {
        id: 'counter-before',
        rule: 'The units of the period before count by their share',
        from: 'use.units : 0\n',
        to: '0 : 0\n',
      },
    ],
  },
  {
    file: 'emulator/service/quota/windows/stepped-window.ts',
    tests: [windows, decision],
    mutants: [
      {
        id: 'stepped-end',
        rule: 'A fixed window is empty at its end',
        from: 'now < use.startedAt + lengthMs',
        to: 'now <= use.startedAt + lengthMs',
      },
      {
        id: 'stepped-refund',
        rule: 'A charge of an earlier window is not refunded in this one',
        from: 'current === undefined || charge.at < current.startedAt',
        to: 'current === undefined',
      },
    ],
  },
  {
    file: 'emulator/service/quota/windows/token-bucket.ts',
    tests: [windows, decision],
    mutants: [
      {
        id: 'bucket-rounds-up',
        rule: 'A part of a missing unit counts as a whole one',
        from: 'Math.ceil(debt(use, moment) / moment.lengthMs)',
        to: 'Math.floor(debt(use, moment) / moment.lengthMs)',
      },
      {
        id: 'bucket-refills',
        rule: 'A bucket refills as time passes',
        from: 'use.debt - (now - use.at) * limit',
        to: 'use.debt',
      },
    ],
  },
  {
    file: 'emulator/service/quota/windows/window-kinds.ts',
    tests: [clamping, windows, wire, app, contract],
    mutants: [
      {
        id: 'windows-convert',
        rule: 'Units that count still count after the kind of window was changed',
        from: 'return units === 0 ? undefined : windowRules[kind].charged(undefined, units, moment)',
        to: 'return undefined',
      },
    ],
  },
  {
    file: 'emulator/http/response/rate-headers.ts',
    tests: ['test/unit/emulator/http/response/rate-headers.test.ts', app, wire, contract],
    mutants: [
      {
        id: 'wire-retry-after-up',
        rule: 'Retry-After is rounded up',
        from: 'Math.max(Math.ceil((retryAt - now) / 1_000), 1)',
        to: 'Math.max(Math.floor((retryAt - now) / 1_000), 1)',
      },
      {
        id: 'wire-retry-after-least',
        rule: 'Retry-After is a second at least',
        from: 'Math.max(Math.ceil((retryAt - now) / 1_000), 1)',
        to: 'Math.ceil((retryAt - now) / 1_000)',
      },
      {
        id: 'wire-retry-after-date',
        rule: 'Retry-After as a date is rounded up',
        from: 'httpDate(Math.ceil(retryAt / 1_000) * 1_000)',
        to: 'httpDate(Math.floor(retryAt / 1_000) * 1_000)',
      },
      {
        id: 'wire-reset-up',
        rule: 'Reset is rounded up',
        from: 'return Math.ceil(resetsAt / 1_000)',
        to: 'return Math.floor(resetsAt / 1_000)',
      },
      {
        id: 'wire-cost-of-refusal',
        rule: 'A refused request has a cost header only if it cost something',
        from: "refusal === undefined || charged > 0 || settings.rate_headers === 'all'",
        to: 'true',
      },
      {
        id: 'wire-success-only',
        rule: 'With rate_headers success a failure has no quota headers',
        from: 'return passedLimiter && status < 300',
        to: 'return passedLimiter',
      },
    ],
  },
  {
    file: 'emulator/http/admission.ts',
    tests: [app, wire, contract],
    mutants: [
      {
        id: 'refund-of-failure',
        rule: 'Without charge_failed a failed request costs nothing',
        from: 'settings.current.charge_failed || ',
        to: 'true || ',
      },
      {
        id: 'refund-only-served',
        rule: 'Without charge_failed a refused request is not refunded, because the service did not serve it',
        from: '!context.isServed || ',
        to: '',
      },
    ],
  },
]
