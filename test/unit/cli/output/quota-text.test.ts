import { expect, test } from 'vitest'
import { quotaLines, toQuotaView } from '../../../../src/cli/output/quota-text.ts'
import { createPalette } from '../../../../src/cli/output/terminal/terminal.ts'

const plain = await createPalette(false)
const now = Date.parse('2026-11-20T12:00:00Z')

const reading = {
  at: now,
  windows: {
    minute: { limit: 60, used: 55, remaining: 5, fitsAt: { upload: now + 42_000, delete: now - 1, other: now } },
    day: { limit: null, used: 1_234, remaining: null, fitsAt: { upload: now, delete: now, other: now } },
  },
  hold: undefined,
}

test('the quota as text is a table of its windows and when more uploads would be done, and as JSON has times of ISO 8601', () => {
  const burst = { limit: 20, used: 0, remaining: 20, fitsAt: { upload: now + 800, delete: now, other: now } }
  const windows = { ...reading.windows, burst }
  const view = toQuotaView({ ...reading, windows }, [
    [1, now + 42_000],
    [10, undefined],
  ])
  expect(quotaLines(view, now, { faint: (text) => `<${text}>` })).toEqual([
    '<WINDOW   USED  LIMIT  LEFT  NEXT UPLOAD>',
    'minute     55     60     5  in 42 s',
    'day     1,234      -     -  now',
    'burst       0     20    20  in 0.8 s; the service may still count earlier units',
    expect.stringMatching(/^1 more upload would be done by \d\d:\d\d:42$/),
    '10 more uploads cannot be forecast',
  ])
  const [at, past] = ['2026-11-20T12:00:42.000Z', '2026-11-20T12:00:00.000Z']
  expect(view.windows['minute']?.fits_at).toEqual({ upload: at, delete: past, other: past })
  expect(view.uploads.map(({ done_at }) => done_at)).toEqual([at, null])
})

const until = now + 5_250
test.each([
  [{ until, window: 'hour', source: 'retry-after' }, 'Paused for 5.3 s: a request was refused for the hour quota'],
  [
    { until, window: 'burst', source: 'guess' },
    'Paused for 5.3 s: a request was refused for the burst quota (estimated; no Retry-After was sent)',
  ],
  [{ until: now + 60_000, window: undefined, source: 'unavailable' }, 'Paused for 1 min: the API is disabled'],
  [
    { until: undefined, window: undefined, source: 'retry-after' },
    'Paused until a request in flight shows whether the quota is free again: a request was refused for the quota',
  ],
] as const)('the quota as text says how long and why all requests are held back: %j', (hold, line) => {
  const view = toQuotaView({ at: now, windows: {}, hold }, [])
  expect(quotaLines(view, now, plain)).toEqual([line, 'No quota window has a limit'])
})
