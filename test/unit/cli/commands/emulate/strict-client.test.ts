import { expect, test } from 'vitest'
import type { EtiquetteFinding } from '../../../../../emulator/index.ts'
import { clientFailures, strictCode } from '../../../../../src/cli/commands/emulate/strict-client.ts'
import { describeFailure } from '../../../../../src/cli/failures/failure.ts'

const request = {
  method: 'GET',
  endpoint: '/api/stats',
  status: 429,
  client_ip: '127.0.0.1',
  at: '2026-01-15T12:00:00.000Z',
  cost: 0,
  account_id: 1,
  key_in: 'header',
} as const
const finding: EtiquetteFinding = {
  kind: 'before_retry_after',
  count: 2,
  units: 0,
  advice: 'Wait',
  requests: [request, request],
}

test('each finding is a failure with the number of requests, the rule, an example and advice', () => {
  const waste: EtiquetteFinding = { ...finding, kind: 'wasted_units', count: 1, units: 10, advice: 'Check first' }
  const failures = clientFailures({ findings: [finding, waste] }).map(describeFailure)
  const example = 'such as GET /api/stats at 2026-01-15T12:00:00.000Z'
  expect(failures).toMatchObject([
    { message: `2 requests came before Retry-After had passed, ${example}`, hint: 'Wait', exitCode: 1 },
    { message: `1 request cost units without effect (10 units), ${example}`, hint: 'Check first' },
  ])
})

test('findings turn the exit code 0 into 1, and keep every other code', () => {
  const failures = clientFailures({ findings: [finding] })
  expect([strictCode(0, failures), strictCode(7, failures), strictCode(0, []), strictCode(130, [])]).toEqual([
    1, 7, 0, 130,
  ])
})
