import { expect, test } from 'vitest'
import { jsonText, presentRefusal, quotaHeaders } from '../../../../emulator/api/response.ts'
import type { HttpRequest } from '../../../../emulator/http.ts'
import { createSettings, type SettingChanges } from '../../../../emulator/settings/settings.ts'

const reportedWindow = { limit: 60, remaining: 59, resetsAt: 60_500 }

const reset = (changes: SettingChanges, now: number) =>
  quotaHeaders({ reportedWindow, charged: 1 }, createSettings(changes).current, now)['X-RateLimit-Reset']

test.each([
  ['epoch_seconds', '61', '61'],
  ['delta_seconds', '60', '0'],
  ['epoch_ms', '60500', '60500'],
] as const)('the reset in %s is rounded up and never negative', (reset_format, early, late) => {
  expect(reset({ reset_format }, 1_000)).toBe(early)
  // An upload may take longer than the window it was charged to.
  expect(reset({ reset_format }, 3_600_000)).toBe(late)
})

test.each([
  ['seconds', 60_001, '1'],
  ['seconds', 61_001, '2'],
  ['seconds', 60_000, '1'],
  ['http_date', 60_001, 'Thu, 01 Jan 1970 00:01:01 GMT'],
] as const)('Retry-After in %s at %d ms is rounded up, and a second at least', (retry_after, retryAt, value) => {
  const { current: settings } = createSettings({ retry_after })
  const refusal = { kind: 'quota-exceeded', window: 'minute', retryAt } as const
  const { headers } = presentRefusal(refusal, { settings, now: 60_000, request: {} as HttpRequest })
  expect(headers['Retry-After']).toBe(value)
})

test('without a limit only the cost is reported, and nothing for an uncharged refusal', () => {
  const { current: settings } = createSettings()
  expect(quotaHeaders({ reportedWindow: undefined, charged: 10 }, settings, 0)).toEqual({
    'X-RateLimit-Cost': '10',
  })
  const refusal = { kind: 'quota-exceeded', window: 'hour', retryAt: 0 } as const
  expect(quotaHeaders({ reportedWindow: undefined, charged: 0, refusal }, settings, 0)).toEqual({})
})

test('silence 80: the service writes one line, with slashes escaped and UTF-16 escapes outside ASCII', () => {
  const value = { message: 'a/b « ă 🦝 <&> "\\" \u007f\n', list: [], nothing: null }
  expect(jsonText(value, 'laravel')).toBe(
    '{"message":"a\\/b \\u00ab \\u0103 \\ud83e\\udd9d <&> \\"\\\\\\" \u007f\\n","list":[],"nothing":null}',
  )
})
