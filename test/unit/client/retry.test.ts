import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AttemptEnd, decideRetry, type RetryPolicy } from '../../../src/client/retry.ts'

const answered = (status: number, more: Partial<AttemptEnd & { type: 'answered' }> = {}): AttemptEnd => ({
  type: 'answered',
  status,
  bodyFinished: true,
  shape: 'error',
  ...more,
})
const broken = (bodyFinished: boolean): AttemptEnd => ({
  type: 'failed',
  failure: 'interrupted',
  permanent: false,
  bodyFinished,
})
const policy = (more: Partial<RetryPolicy> = {}): RetryPolicy => ({
  repeatable: 'always',
  retries: 5,
  ...more,
})
const upload = policy({ repeatable: 'unless-stored' })

describe('a call that may always be repeated', () => {
  test.each([417, 500, 502, 503, 504])('a safe call is sent again after %i', (status) => {
    expect(decideRetry(answered(status), 0, policy(), 0.5)).toMatchObject({
      type: 'again',
      cause: 'failure',
    })
  })

  test.each([200, 201, 204, 302, 400, 401, 403, 404, 405, 413, 422, 501])('a safe call ends with %i', (status) => {
    expect(decideRetry(answered(status), 0, policy(), 0.5)).toEqual({ type: 'done' })
  })

  test.each(['unreachable', 'timeout', 'interrupted'] as const)(
    'a safe call is sent again after the failure %s',
    (failure) => {
      const end: AttemptEnd = { type: 'failed', failure, permanent: false, bodyFinished: true }
      expect(decideRetry(end, 0, policy(), 0.5)).toMatchObject({ type: 'again', cause: 'failure' })
    },
  )

  test('a safe call fails after as many failures as retries are allowed', () => {
    expect(decideRetry(broken(true), 5, policy(), 0.5)).toEqual({ type: 'give-up' })
    expect(decideRetry(broken(true), 0, policy({ retries: 0 }), 0.5)).toEqual({ type: 'give-up' })
  })
})

describe('an upload', () => {
  test('an upload is sent again after a 429 and after a 503 in the service’s own words', () => {
    expect(decideRetry(answered(429), 0, upload, 0)).toMatchObject({ type: 'again', cause: 'refusal' })
    expect(decideRetry(answered(503), 0, upload, 0)).toMatchObject({ type: 'again', cause: 'failure' })
  })

  test('an upload is sent again after a 417, which refuses the Expect header', () => {
    expect(decideRetry(answered(417), 0, upload, 0)).toMatchObject({ type: 'again', cause: 'failure' })
  })

  test('an upload has an unknown outcome after a 503 in foreign words and after 500, 502, 504', () => {
    expect(decideRetry(answered(503, { shape: 'message' }), 0, upload, 0)).toEqual({ type: 'unknown' })
    for (const status of [408, 499, 500, 502, 504, 507, 520, 524]) {
      expect(decideRetry(answered(status), 0, upload, 0)).toEqual({ type: 'unknown' })
    }
  })

  test('an upload has an unknown outcome after a redirect and after a 4xx without the service’s words', () => {
    for (const status of [302, 400, 401, 403, 404, 405, 422]) {
      expect(decideRetry(answered(status, { shape: undefined }), 0, upload, 0)).toEqual({ type: 'unknown' })
    }
    expect(decideRetry(answered(413, { shape: undefined }), 0, upload, 0)).toEqual({ type: 'done' })
    for (const status of [401, 403, 404, 422]) {
      expect(decideRetry(answered(status, { shape: 'message' }), 0, upload, 0)).toEqual({ type: 'done' })
    }
  })

  test('an upload is sent again when the connection broke before the whole body had left', () => {
    expect(decideRetry(broken(false), 0, upload, 0)).toMatchObject({ type: 'again' })
  })

  test('an upload has an unknown outcome when the connection broke after the whole body had left', () => {
    expect(decideRetry(broken(true), 0, upload, 0)).toEqual({ type: 'unknown' })
  })

  test('an upload ends with a 408 or 499 that came before its last byte had left', () => {
    const early = { bodyFinished: false }
    expect(decideRetry(answered(500, early), 0, upload, 0)).toMatchObject({ type: 'again' })
    expect(decideRetry(answered(507, early), 0, upload, 0)).toEqual({ type: 'done' })
  })

  test('an upload is sent again when no connection was made, even if its whole body was handed over', () => {
    const end: AttemptEnd = { type: 'failed', failure: 'unreachable', permanent: false, bodyFinished: true }
    expect(decideRetry(end, 0, upload, 0)).toMatchObject({ type: 'again' })
  })

  test('an upload is never sent again after an end that leaves open whether it was stored', () => {
    const end = fc.oneof(
      fc.record({
        type: fc.constant('answered' as const),
        status: fc.integer({ min: 200, max: 599 }),
        bodyFinished: fc.boolean(),
        shape: fc.constantFrom('error' as const, 'message' as const, undefined),
      }),
      fc.record({
        type: fc.constant('failed' as const),
        failure: fc.constantFrom('unreachable', 'untrusted', 'wrong-scheme', 'timeout', 'interrupted'),
        permanent: fc.boolean(),
        bodyFinished: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(end, fc.nat(9), (ended, failures) => {
        if (decideRetry(ended, failures, upload, 0.5).type !== 'again') return
        const proof =
          ended.type === 'answered'
            ? ended.status === 429 ||
              ended.status === 417 ||
              ended.status === 413 ||
              (ended.status === 503 && ended.shape === 'error') ||
              !ended.bodyFinished
            : !['timeout', 'interrupted'].includes(ended.failure) || !ended.bodyFinished
        expect(proof).toBe(true)
      }),
    )
  })
})

describe('waiting', () => {
  test('a refusal for quota leaves the wait to the pacer and uses up no retry', () => {
    expect(decideRetry(answered(429), 5, policy(), 0.5)).toEqual({ type: 'again', cause: 'refusal', delayMs: 0 })
  })

  test('a 503 leaves the wait to the pacer, but counts as a failure', () => {
    expect(decideRetry(answered(503), 4, policy(), 0.5)).toEqual({ type: 'again', cause: 'failure', delayMs: 0 })
    expect(decideRetry(answered(503), 5, policy(), 0.5)).toEqual({ type: 'give-up' })
  })

  test('a call that may never be repeated is not repeated after a refusal', () => {
    expect(decideRetry(answered(429), 0, policy({ repeatable: 'never' }), 0.5)).toEqual({ type: 'give-up' })
  })

  test('a permanent failure is not retried', () => {
    const end: AttemptEnd = { type: 'failed', failure: 'unreachable', permanent: true, bodyFinished: false }
    expect(decideRetry(end, 0, policy(), 0.5)).toEqual({ type: 'give-up' })
  })

  test('other failures back off exponentially with full jitter', () => {
    const delays = [0, 1, 2, 3, 9].map((failures) => {
      const decision = decideRetry(answered(500), failures, policy({ retries: 10 }), 0.5)
      return decision.type === 'again' ? decision.delayMs : undefined
    })
    expect(delays).toEqual([250, 500, 1_000, 2_000, 15_000])
  })
})
