import { describe, expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const burst = { error: 'Burst limit exceeded. Slow down.' }
const minute = { error: 'Rate limit exceeded (per minute).' }
const disabled = { error: 'API temporarily disabled.' }
const epochMs = String(Date.now() + 7_200_000)

describe('a Retry-After that is too long for --max-wait', () => {
  test.each([
    ['is longer than the burst that refused', 429, burst, '30', '5s', /in 3[01] s,/],
    ['is longer than the minute that refused', 429, minute, '7200', '30m', /in 2 h( 1 min)?,/],
    ['comes in epoch milliseconds', 429, minute, epochMs, '30m', /in (1 h 59 min|2 h|2 h 1 min),/],
    ['comes twice, once short and once long', 429, burst, ['2', '7200'], '30m', /in 2 h( 1 min)?,/],
    ['comes with a 503', 503, disabled, '7200', '90m', /in 2 h( 1 min)?$/],
    ['is a day', 429, burst, '86400', '23h', /in 24 h( 1 min)?,/],
  ] as const)('ends with 5 at once and the time in the hint: it %s', async (_, status, body, asked, maxWait, told) => {
    const headers = { 'Retry-After': asked } as unknown as Record<string, string>
    const server = await scriptedServer(answer(status, body, headers))
    const rig = await createRig({ service: server })
    const { code, stderr } = await rig.fh(['stats', '--json', '--max-wait', maxWait])
    const { exit_code, hint } = JSON.parse(stderr)
    expect([code, exit_code, hint]).toEqual([5, 5, expect.stringMatching(told)])
    expect(server.requests).toHaveLength(1)
  })
})
