import { expect, test } from 'vitest'
import { type AttemptEnd, decideRetry, type RetryPolicy } from '../../../src/client/retry.ts'

const answered = (status: number, more: Partial<AttemptEnd & { type: 'answered' }> = {}): AttemptEnd => ({
  type: 'answered',
  status,
  bodyFinished: true,
  shape: 'error',
  ...more,
})
type Failed = AttemptEnd & { readonly type: 'failed' }
const failed = (failure: Failed['failure'], bodyFinished = true, permanent = false): AttemptEnd => ({
  type: 'failed',
  failure,
  permanent,
  bodyFinished,
})
const safe: RetryPolicy = { repeatable: 'always', retries: 5 }
const upload: RetryPolicy = { repeatable: 'unless-stored', retries: 5 }
const again = (cause: 'failure' | 'refusal') => ({ type: 'again', cause })
const [done, unknown, givenUp] = [{ type: 'done' }, { type: 'unknown' }, { type: 'give-up' }]

type Row = [title: string, end: AttemptEnd, expected: object, policy?: RetryPolicy, failures?: number]
const each = (statuses: readonly number[], row: (status: number) => Row) => statuses.map(row)

test.each<Row>([
  ...each([417, 500, 502, 503, 504], (status) => [`a safe call after ${status}`, answered(status), again('failure')]),
  ...each([200, 201, 204, 302, 400, 401, 403, 404, 405, 413, 422, 501], (status) => [
    `a safe call after ${status}`,
    answered(status),
    done,
  ]),
  ...(['unreachable', 'timeout', 'interrupted'] as const).map(
    (failure): Row => [`a safe call after the failure ${failure}`, failed(failure), again('failure')],
  ),
  ['a safe call after as many failures as retries', failed('interrupted'), givenUp, safe, 5],
  ['a safe call without retries', failed('interrupted'), givenUp, { ...safe, retries: 0 }],
  ['a refusal for quota, which uses up no retry', answered(429), { ...again('refusal'), delayMs: 0 }, safe, 5],
  ['a 503, whose wait is left to the pacer', answered(503), { ...again('failure'), delayMs: 0 }, safe, 4],
  ['a 503 after as many failures as retries', answered(503), givenUp, safe, 5],
  ['a refused call that may never be repeated', answered(429), givenUp, { ...safe, repeatable: 'never' }],
  ['a permanent failure', failed('unreachable', false, true), givenUp],
  ['an upload after a 429', answered(429), again('refusal'), upload],
  ['an upload after a 503 in the service’s own words', answered(503), again('failure'), upload],
  ['an upload after a 417, which refuses the Expect header', answered(417), again('failure'), upload],
  ['an upload after a 503 in foreign words', answered(503, { shape: 'message' }), unknown, upload],
  ...each([408, 499, 500, 502, 504, 507, 520, 524], (status) => [
    `an upload after ${status}`,
    answered(status),
    unknown,
    upload,
  ]),
  ...each([302, 400, 401, 403, 404, 405, 422], (status) => [
    `an upload after ${status} without the service’s words`,
    answered(status, { shape: undefined }),
    unknown,
    upload,
  ]),
  ['an upload after a 413 in any words', answered(413, { shape: undefined }), done, upload],
  ...each([401, 403, 404, 422], (status) => [
    `an upload after ${status} in the service’s words`,
    answered(status, { shape: 'message' }),
    done,
    upload,
  ]),
  ['an upload that broke before its last byte', failed('interrupted', false), again('failure'), upload],
  ['an upload that broke after its last byte', failed('interrupted'), unknown, upload],
  ['an upload after an early 500', answered(500, { bodyFinished: false }), again('failure'), upload],
  ['an upload after an early 507', answered(507, { bodyFinished: false }), done, upload],
  ['an upload that found no connection, but was handed over', failed('unreachable'), again('failure'), upload],
])('%s: what follows is decided', (_, end, expected, policy = safe, failures = 0) => {
  expect(decideRetry(end, failures, policy, 0.5)).toMatchObject(expected)
})

test('after its last byte an upload is sent again only where the answer proves that it was not stored', () => {
  const statuses = Array.from({ length: 400 }, (_, index) => 200 + index)
  const repeated = (['error', 'message', undefined] as const).map((shape) =>
    statuses.filter((status) => decideRetry(answered(status, { shape }), 0, upload, 0.5).type === 'again'),
  )
  expect(repeated).toEqual([
    [417, 429, 503],
    [417, 429],
    [417, 429],
  ])
})

test('failures without a wait of their own back off exponentially with full jitter', () => {
  const delays = [0, 1, 2, 3, 9].map((failures) => {
    const decision = decideRetry(answered(500), failures, { ...safe, retries: 10 }, 0.5)
    return decision.type === 'again' ? decision.delayMs : undefined
  })
  expect(delays).toEqual([250, 500, 1_000, 2_000, 15_000])
})
