const pacer = 'test/unit/pacing/pacer.test.ts'
const model = 'test/unit/pacing/quota-model/quota-model.test.ts'
const view = 'test/unit/pacing/quota-model/service-view.test.ts'
const setClock = 'test/pacing/set-clock.test.ts'
const reset = 'test/pacing/reset.test.ts'
const contract = 'test/pacing/ledger-contract.test.ts'

/** Rules of src/pacing. */
export const pacing = `
src/pacing/create-pacer.ts: ${pacer}, ${setClock}
  pacer-first-come: A request waits behind those that came before it
    - queue.push(queued)
    + queue.unshift(queued)
  pacer-deadline: A wait that ends at the deadline is waited
    - now + delayMs <= queued.deadline
    + now + delayMs < queued.deadline
  pacer-overdue-behind: A request is rejected too whose deadline the wait of the first one exceeds
    - for (const queued of [...queue])
    + for (const queued of queue.slice(0, 1))
  pacer-given-up-permit: A permit whose caller gave up is returned
    - await permit.complete({ type: 'not-sent' })
  pacer-longest-step: The ledger is asked again after a minute at the latest
    - Math.min(delayMs, LONGEST_STEP_MS)
    + delayMs
  pacer-announce-once: A wait is told once
    - !isSame(verdict, announced)
    + true
  pacer-wake-on-abort: When the first request gives up, the next one is served at once
    - reject(signal?.reason)
    -           wake()
    + reject(signal?.reason)

src/pacing/memory-ledger.ts: ${pacer}, ${setClock}
  ledger-missed-change: A change between a denial and the wait for it is not missed
    - if (hasChanged) return
  ledger-steady-end: The end of a request is dated by the monotonic clock
    - { ...outcome, at: steady.now() }
    + outcome

src/pacing/shared-ledger/places.ts: ${contract}
  places-order: What waits before a request counts as sent
    - ahead.push(place.cost)
  places-passed: A process that does not come for its room is passed
    - if (passed !== undefined && passed <= now) continue
  places-own: A request is not held back by its own place
    - all.slice(0, end < 0 ? all.length : end)
    + all

src/pacing/quota-model/charges.ts: own, ${model}
  charges-second: A window counts a second longer than its length
    - return COARSEST_SECOND_MS + lengthMs * DRIFT
    + return lengthMs * DRIFT
  charges-beyond: So many charges are forgotten that at most the room is left, and no more
    - total() - upTo <= units)]
    + total() - upTo < units)]
  charges-undated: The answer to a request teaches nothing of times if the clock was set while it was under way
    - isUndated: true })
    + isUndated: false })

src/pacing/quota-model/clock-offset.ts: own, ${model}
  offset-whole-second: Date has whole seconds, so the service may be a second ahead of it
    - most: serverNow + DATE_STEP_MS - sentAt
    + most: serverNow - sentAt
  offset-drift: What is known of the other clock fades as both drift apart
    - Math.max(now - at, 0) * DRIFT
    + 0

src/pacing/quota-model/refusals.ts: own, ${model}
  refusals-longest: Of several refusals the longest wait counts
    - if (gate && gate.until > until) return
  refusals-pad: A wait by Retry-After is a little longer than asked
    - Math.max(askedMs, least) + PAD_MS
    + Math.max(askedMs, least)
  refusals-day: A Retry-After of a day is honoured
    - askedMs > LONGEST_HONOURED_MS
    + askedMs >= LONGEST_HONOURED_MS
  refusals-doubling: A guessed wait doubles with each refusal in a row
    - firstGuessMs[window] * doublings
    + firstGuessMs[window]
  refusals-in-a-row: A success ends the row of refusals
    - gate = undefined
    -       inARow = 0
    + gate = undefined
  refusals-switched-off: A 503 that asks for more than a day is believed for an hour
    - askedMs === undefined || askedMs <= LONGEST_HONOURED_MS
    + true

src/pacing/quota-model/quota-model.ts: own, ${setClock}
  model-probe: After a refusal one request at a time finds out whether it still holds
    - return pending.isProbing() ? { type: 'later', at: undefined, window, source } : undefined
    + return undefined
  model-held-back: Nothing is sent before the wait after a refusal is over
    - if (now < until) return { type: 'later', at: until, window, source }
  model-unanswered: A request without an answer counts as charged
    - charge(outcome.at, request.units)
  model-refused-charge: A refused request counts as charged
    - charge(at, units)
    -     refused.add(at, units)
    + refused.add(at, units)
  model-foreign-charge: What others must have used counts too
    - charge(at, units + foreign)
    + charge(at, units)
  model-reserve: The reserve is left to others
    - return limit - leftToOthers[name]
    + return limit
  model-never-fits: A request that costs the whole limit fits
    - if (limit < units)
    + if (limit <= units)
  model-pending: Requests under way count
    - most - units - pending.units()
    + most - units
  model-dearer: A request dearer than the believed limit is sent when nothing else counts
    - const most = Math.max(limit, units)
    + const most = limit
  model-failed-price: What a failed request was charged says nothing about the price
    - status >= 200 && status < 300
    + true
  model-every-window: The window that frees last decides
    - if (at > (latest?.at ?? now))
    + if (at > now)
  model-clock-set: Once the clock was set back, nothing known lies in the future
    - for (const part of dated) part.clampTo(now)
  model-given-limit: A limit that a person gave counts also where the service shows no quota
    - given[name] === undefined && absentQuota.isKnown(now)
    + absentQuota.isKnown(now)

src/pacing/quota-model/absent-quota.ts: ${model}
  absent-every-price: One endpoint that shows a quota outweighs all that show none
    - .every((hasQuota) => !hasQuota)
    + .some((hasQuota) => !hasQuota)
  absent-distrust: For a day after a refusal there is a quota, whatever the headers say
    - now - refusedAt >= DISTRUST_MS &&

src/pacing/quota-model/learned-limit.ts: ${model}
  learned-dearest: A learned limit still lets the dearest request through
    - Math.max(used, limit * LEAST_SHARE, dearest)
    + Math.max(used, limit * LEAST_SHARE)
  learned-steps: A learned limit rises step by step
    - units * growth ** steps
    + units
  learned-given: A limit that a person gave is doubted for one window at most
    - believed >= limit || now >= givenAgainAt
    + believed >= limit

src/pacing/quota-model/service-view.ts: own, ${model}
  view-price: A cost above the limit of the minute is no price
    - || cost > (limits.minute ?? cost)
  view-charged-since: What was charged after an answer is taken off its Remaining
    - remaining: remaining - charges.after(sentAt - 1) - pendingUnits
    + remaining: remaining - pendingUnits
  view-foreign: Remaining is not relied on for a minute after others used the key
    - && now - foreignAt >= memoryMs
  view-other-window: Headers of another window than the minute say nothing of the minute
    - return limit === null || isOf('minute') || !windowNames.some(isOf)
    + return true

src/pacing/quota-model/inference/window-kind-elimination.ts: own, ${model}, test/pacing/never-ruled-out.test.ts
  kinds-slack: A unit less than a kind of window must show does not rule it out, because services round
    - used <= least + units - SLACK_UNITS
    + used <= least + units
  kinds-contradiction: If the answers contradict every kind of window, all are possible again
    - possible.has(kind) || possible.size === 0
    + possible.has(kind)

src/pacing/quota-model/inference/window-inference.ts: ${view}, ${model}, ${reset}, ${setClock}
  inference-suspect: A window that has refused may be of any kind
    - isSuspect || kinds.mayBe(kind)
    + kinds.mayBe(kind)
  inference-every-kind: Reset ends the minute only if all kinds of window left end there
    - possible.every(({ endsAtReset })
    + possible.some(({ endsAtReset })
  inference-contradicting-date: A Date that contradicts the earlier ones shows a clock that was set: they prove nothing now
    - if (both === undefined) forgetAnswers()

src/pacing/quota-model/inference/reset-proof.ts: own, ${reset}
  reset-kept: Reset counts only after units used before it no longer counted after it
    - hasStoodStill && hasBeenKept
    + hasStoodStill

src/pacing/quota-model/inference/kind-inference.ts: ${view}, ${model}
  kinds-two-periods: A sliding counter may count two whole periods while the clock of the service is unknown
    - logFitsAt(window.charges, 2 * window.lengthMs, room)
    + logFitsAt(window.charges, window.lengthMs, room)

src/pacing/rate-headers.ts: own
  headers-longest: Of several values of Retry-After the longest counts
    - Math.max(longest ?? 0, wait)
    + wait
  headers-undated: An instant in an answer without Date asks for a bounded wait
    - Math.min(Math.max(0, instant - nowThere), longestMs)
    + Math.max(0, instant - nowThere)
  headers-cached: The Date of an answer from a cache does not count
    - headers['age'] === undefined &&
  headers-free: A request that cost nothing does not show that there is no quota
    - cost !== undefined && cost > 0 &&
    + cost !== undefined &&
`
