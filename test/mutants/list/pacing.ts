import type { MutantsOfFile } from '../mutate.ts'

const pacer = 'test/unit/pacing/pacer.test.ts'
const model = 'test/unit/pacing/quota-model/quota-model.test.ts'
const view = 'test/unit/pacing/quota-model/service-view.test.ts'

/** Rules of src/pacing. */
export const pacing: readonly MutantsOfFile[] = [
  {
    file: 'src/pacing/create-pacer.ts',
    tests: [pacer, 'test/pacing/set-clock.test.ts'],
    mutants: [
      {
        id: 'pacer-first-come',
        rule: 'A request waits behind those that came before it',
        from: 'queue.push(queued)',
        to: 'queue.unshift(queued)',
      },
      {
        id: 'pacer-deadline',
        rule: 'A wait that ends at the deadline is waited',
        from: 'now + delayMs <= queued.deadline',
        to: 'now + delayMs < queued.deadline',
      },
      {
        id: 'pacer-overdue-behind',
        rule: 'A request is rejected too whose deadline the wait of the first one exceeds',
        from: 'for (const queued of [...queue])',
        to: 'for (const queued of queue.slice(0, 1))',
      },
      {
        id: 'pacer-given-up-permit',
        rule: 'A permit whose caller gave up is returned',
        from: "await permit.complete({ type: 'not-sent' })",
        to: '',
      },
      {
        id: 'pacer-longest-step',
        rule: 'The ledger is asked again after a minute at the latest',
        from: 'Math.min(delayMs, LONGEST_STEP_MS)',
        to: 'delayMs',
      },
      {
        id: 'pacer-announce-once',
        rule: 'A wait is told once',
        from: '!isSame(verdict, announced)',
        to: 'true',
      },
      {
        id: 'pacer-wake-on-abort',
        rule: 'When the first request gives up, the next one is served at once',
        from: 'reject(signal?.reason)\n          wake()',
        to: 'reject(signal?.reason)',
      },
    ],
  },
  {
    file: 'src/pacing/memory-ledger.ts',
    tests: [pacer, 'test/pacing/set-clock.test.ts'],
    mutants: [
      {
        id: 'ledger-missed-change',
        rule: 'A change between a denial and the wait for it is not missed',
        from: 'if (hasChanged) return resolve()',
        to: '',
      },
      {
        id: 'ledger-steady-end',
        rule: 'The end of a request is dated by the monotonic clock',
        from: '{ ...outcome, at: steady.now() }',
        to: 'outcome',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/charges.ts',
    tests: ['test/unit/pacing/quota-model/charges.test.ts', model],
    mutants: [
      {
        id: 'charges-second',
        rule: 'A window counts a second longer than its length',
        from: 'return COARSEST_SECOND_MS + lengthMs * DRIFT',
        to: 'return lengthMs * DRIFT',
      },
      {
        id: 'charges-beyond',
        rule: 'So many charges are forgotten that at most the room is left, and no more',
        from: 'total() - upTo <= units)]',
        to: 'total() - upTo < units)]',
      },
      {
        id: 'charges-undated',
        rule: 'The answer to a request teaches nothing of times if the clock was set while it was under way',
        from: 'isUndated: true })',
        to: 'isUndated: false })',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/clock-offset.ts',
    tests: ['test/unit/pacing/quota-model/clock-offset.test.ts', model],
    mutants: [
      {
        id: 'offset-whole-second',
        rule: 'Date has whole seconds, so the service may be a second ahead of it',
        from: 'most: serverNow + DATE_STEP_MS - sentAt',
        to: 'most: serverNow - sentAt',
      },
      {
        id: 'offset-drift',
        rule: 'What is known of the other clock fades as both drift apart',
        from: 'Math.max(now - at, 0) * DRIFT',
        to: '0',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/refusals.ts',
    tests: ['test/unit/pacing/quota-model/refusals.test.ts', model],
    mutants: [
      {
        id: 'refusals-longest',
        rule: 'Of several refusals the longest wait counts',
        from: 'if (gate && gate.until > until) return',
        to: '',
      },
      {
        id: 'refusals-pad',
        rule: 'A wait by Retry-After is a little longer than asked',
        from: 'Math.max(askedMs, least) + PAD_MS',
        to: 'Math.max(askedMs, least)',
      },
      {
        id: 'refusals-day',
        rule: 'A Retry-After of a day is honoured',
        from: 'askedMs > LONGEST_HONOURED_MS',
        to: 'askedMs >= LONGEST_HONOURED_MS',
      },
      {
        id: 'refusals-doubling',
        rule: 'A guessed wait doubles with each refusal in a row',
        from: 'firstGuessMs[window] * doublings',
        to: 'firstGuessMs[window]',
      },
      {
        id: 'refusals-in-a-row',
        rule: 'A success ends the row of refusals',
        from: 'gate = undefined\n      inARow = 0',
        to: 'gate = undefined',
      },
      {
        id: 'refusals-switched-off',
        rule: 'A 503 that asks for more than a day is believed for an hour',
        from: 'askedMs === undefined || askedMs <= LONGEST_HONOURED_MS',
        to: 'true',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/quota-model.ts',
    tests: [model, 'test/pacing/set-clock.test.ts'],
    mutants: [
      {
        id: 'model-probe',
        rule: 'After a refusal one request at a time finds out whether it still holds',
        from: "return pending.isProbing() ? { type: 'later', at: undefined, window, source } : undefined",
        to: 'return undefined',
      },
      {
        id: 'model-held-back',
        rule: 'Nothing is sent before the wait after a refusal is over',
        from: "if (now < until) return { type: 'later', at: until, window, source }",
        to: '',
      },
      {
        id: 'model-unanswered',
        rule: 'A request without an answer counts as charged',
        from: 'charge(outcome.at, request.units)',
        to: '',
      },
      {
        id: 'model-refused-charge',
        rule: 'A refused request counts as charged',
        from: 'charge(at, units)\n    refused.add(at, units)',
        to: 'refused.add(at, units)',
      },
      {
        id: 'model-foreign-charge',
        rule: 'What others must have used counts too',
        from: 'charge(at, units + foreign)',
        to: 'charge(at, units)',
      },
      {
        id: 'model-reserve',
        rule: 'The reserve is left to others',
        from: 'return limit - leftToOthers[name]',
        to: 'return limit',
      },
      {
        id: 'model-never-fits',
        rule: 'A request that costs the whole limit fits',
        from: 'if (limit < units)',
        to: 'if (limit <= units)',
      },
      {
        id: 'model-pending',
        rule: 'Requests under way count',
        from: 'Math.max(limit, units) - units - pending.units()',
        to: 'Math.max(limit, units) - units',
      },
      {
        id: 'model-dearer',
        rule: 'A request dearer than the believed limit is sent when nothing else counts',
        from: 'Math.max(limit, units) - units - pending.units()',
        to: 'limit - units - pending.units()',
      },
      {
        id: 'model-failed-price',
        rule: 'What a failed request was charged says nothing about the price',
        from: 'status >= 200 && status < 300',
        to: 'true',
      },
      {
        id: 'model-every-window',
        rule: 'The window that frees last decides',
        from: 'if (at > (latest?.at ?? now))',
        to: 'if (at > now)',
      },
      {
        id: 'model-clock-set',
        rule: 'Once the clock was set back, nothing known lies in the future',
        from: 'for (const part of dated) part.clampTo(now)',
        to: '',
      },
      {
        id: 'model-given-limit',
        rule: 'A limit that a person gave counts also where the service shows no quota',
        from: 'given[name] === undefined && absentQuota.isKnown(now)',
        to: 'absentQuota.isKnown(now)',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/absent-quota.ts',
    tests: [model],
    mutants: [
      {
        id: 'absent-every-price',
        rule: 'One endpoint that shows a quota outweighs all that show none',
        from: '.every((hasQuota) => !hasQuota)',
        to: '.some((hasQuota) => !hasQuota)',
      },
      {
        id: 'absent-distrust',
        rule: 'For a day after a refusal there is a quota, whatever the headers say',
        from: 'now - refusedAt >= DISTRUST_MS && ',
        to: '',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/learned-limit.ts',
    tests: [model],
    mutants: [
      {
        id: 'learned-dearest',
        rule: 'A learned limit still lets the dearest request through',
        from: 'Math.max(used, limit * LEAST_SHARE, dearest)',
        to: 'Math.max(used, limit * LEAST_SHARE)',
      },
      {
        id: 'learned-steps',
        rule: 'A learned limit rises step by step',
        from: 'units * growth ** steps',
        to: 'units',
      },
      {
        id: 'learned-given',
        rule: 'A limit that a person gave is doubted for one window at most',
        from: 'believed >= limit || now >= givenAgainAt',
        to: 'believed >= limit',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/service-view.ts',
    tests: [view, model],
    mutants: [
      {
        id: 'view-price',
        rule: 'A cost above the limit of the minute is no price',
        from: ' || cost > (limits.minute ?? cost)',
        to: '',
      },
      {
        id: 'view-charged-since',
        rule: 'What was charged after an answer is taken off its Remaining',
        from: 'remaining: remaining - charges.after(sentAt - 1) - pendingUnits',
        to: 'remaining: remaining - pendingUnits',
      },
      {
        id: 'view-foreign',
        rule: 'Remaining is not relied on for a minute after others used the key',
        from: ' && now - foreignAt >= memoryMs',
        to: '',
      },
      {
        id: 'view-other-window',
        rule: 'Headers of another window than the minute say nothing of the minute',
        from: "return limit === null || isOf('minute') || !windowNames.some(isOf)",
        to: 'return true',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/inference/window-kind-elimination.ts',
    tests: [
      'test/unit/pacing/quota-model/inference/window-kind-elimination.test.ts',
      model,
      'test/pacing/never-ruled-out.test.ts',
    ],
    mutants: [
      {
        id: 'kinds-slack',
        rule: 'A unit less than a kind of window must show does not rule it out, because services round',
        from: 'used <= least + units - SLACK_UNITS',
        to: 'used <= least + units',
      },
      {
        id: 'kinds-contradiction',
        rule: 'If the answers contradict every kind of window, all are possible again',
        from: 'possible.has(kind) || possible.size === 0',
        to: 'possible.has(kind)',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/inference/window-inference.ts',
    tests: [view, model, 'test/pacing/reset.test.ts', 'test/pacing/set-clock.test.ts'],
    mutants: [
      {
        id: 'inference-suspect',
        rule: 'A window that has refused may be of any kind',
        from: 'isSuspect || kinds.mayBe(kind)',
        to: 'kinds.mayBe(kind)',
      },
      {
        id: 'inference-every-kind',
        rule: 'Reset ends the minute only if all kinds of window left end there',
        from: 'possible.every(({ endsAtReset })',
        to: 'possible.some(({ endsAtReset })',
      },
      {
        id: 'inference-contradicting-date',
        rule: 'A Date that contradicts the earlier ones shows that a clock was set: they prove nothing any more',
        from: 'if (both === undefined) forgetAnswers()',
        to: '',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/inference/reset-proof.ts',
    tests: ['test/unit/pacing/quota-model/inference/reset-proof.test.ts', 'test/pacing/reset.test.ts'],
    mutants: [
      {
        id: 'reset-kept',
        rule: 'Reset counts only after units used before it no longer counted after it',
        from: 'hasStoodStill && hasBeenKept',
        to: 'hasStoodStill',
      },
    ],
  },
  {
    file: 'src/pacing/quota-model/inference/kind-inference.ts',
    tests: [view, model],
    mutants: [
      {
        id: 'kinds-two-periods',
        rule: 'A sliding counter may count two whole periods while the clock of the service is unknown',
        from: 'logFitsAt(window.charges, 2 * window.lengthMs, room)',
        to: 'logFitsAt(window.charges, window.lengthMs, room)',
      },
    ],
  },
  {
    file: 'src/pacing/rate-headers.ts',
    tests: ['test/unit/pacing/rate-headers.test.ts'],
    mutants: [
      {
        id: 'headers-longest',
        rule: 'Of several values of Retry-After the longest counts',
        from: 'Math.max(longest ?? 0, wait)',
        to: 'wait',
      },
      {
        id: 'headers-undated',
        rule: 'An instant in an answer without Date asks for a bounded wait',
        from: 'Math.min(Math.max(0, instant - nowThere), longestMs)',
        to: 'Math.max(0, instant - nowThere)',
      },
      {
        id: 'headers-cached',
        rule: 'The Date of an answer from a cache does not count',
        from: "headers['age'] === undefined && ",
        to: '',
      },
      {
        id: 'headers-free',
        rule: 'A request that cost nothing does not show that there is no quota',
        from: 'cost !== undefined && cost > 0 && ',
        to: 'cost !== undefined && ',
      },
    ],
  },
]
