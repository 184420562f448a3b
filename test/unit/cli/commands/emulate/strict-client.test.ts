import { expect, test } from 'vitest'
import { clientFailures } from '../../../../../src/cli/commands/emulate/strict-client.ts'
import { describeFailure } from '../../../../../src/cli/failures/failure.ts'

test('each finding is a failure with the number of requests, the rule, an example and advice', () => {
  const request = { method: 'GET', endpoint: '/api/stats', at: '2026-01-15T12:00:00.000Z' }
  const findings = [
    { kind: 'before_retry_after', count: 2, units: 0, advice: 'Wait', requests: [request, request] },
    { kind: 'wasted_units', count: 1, units: 10, advice: 'Check first', requests: [request] },
  ]
  const example = 'such as GET /api/stats at 2026-01-15T12:00:00.000Z'
  expect(
    clientFailures({ findings } as unknown as Parameters<typeof clientFailures>[0]).map(describeFailure),
  ).toMatchObject([
    { message: `2 requests came before Retry-After had passed, ${example}`, hint: 'Wait', exitCode: 1 },
    { message: `1 request cost units without effect (10 units), ${example}`, hint: 'Check first' },
  ])
})
