import { expect, test } from 'vitest'
import { emulated, send } from '../emulated.ts'
import { page } from './looking.ts'

const gaugesOf = (html: string) =>
  [...html.matchAll(/<(?:label|div) class="gauge[^>]*>(.*?)<\/(?:label|div)>/gs)].map(([, gauge = '']) =>
    gauge
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )

test('each window has a gauge with words: how full, how much is left, when it is back; or that it has no limit', async () => {
  const emulator = await emulated({ quotas: { burst: 20, minute: 10, hour: null, day: 100 } })
  for (let times = 1; times <= 9; times += 1) await send(emulator, 'GET', '/api/stats')
  const html = await page(emulator)
  expect(gaugesOf(html)).toEqual([
    'burst 9 of 20, 11 left, back at 14:00:10',
    expect.stringMatching(/^minute 9 of 10, 1 left, back at 14:01:00, answers are delayed$/),
    'hour unlimited, 9 used',
    'day 9 of 100, 91 left, back at 2026-01-16 14:00:00',
  ])
  expect(html).toContain('<meter min="0" max="10" high="8" optimum="0" value="9">')
  expect(html).toContain('quota_windows: fixed')
})

test('the account is chosen by a link, the first by default, and an unknown one is the first', async () => {
  const emulator = await emulated({ quotas: { minute: 10 } })
  const { id, email } = emulator.control.accounts.create({ email: '<b>@x', quotas: { minute: 33 } })
  const html = await page(emulator, `?quota_of=${id}`)
  expect(gaugesOf(html)[1]).toBe('minute 0 of 33, 33 left')
  expect(html).toContain(`href="?quota_of=1#quota"`)
  expect([email, html.includes('&lt;b&gt;@x')]).toEqual(['<b>@x', true])
  expect(gaugesOf(await page(emulator, '?quota_of=77'))[1]).toBe('minute 0 of 10, 10 left')
})

test.each(['aligned', 'sliding', 'sliding_counter', 'token_bucket'] as const)(
  'the section says how windows of the kind %s drain',
  async (quota_windows) => {
    const emulator = await emulated({ quotas: { minute: 10 }, settings: { quota_windows } })
    expect(await page(emulator)).toContain(`(quota_windows: ${quota_windows}).`)
  },
)
