import { expect, test } from 'vitest'
import { createVirtualClock, virtualStartMs } from '../../../../emulator/clock/virtual-clock.ts'
import { spanText } from '../../../../emulator/dashboard/clock/clock-words.ts'
import { emulated, send } from '../emulated.ts'
import { landed, page, problemBeside, section, sendForm } from './looking.ts'

const after = (ms: number) => new Date(virtualStartMs + ms).toISOString()

test('the section shows the service’s time in its zone, the mode and what happens next', async () => {
  const emulator = await emulated({ quotas: { minute: 60 } })
  await send(emulator, 'GET', '/api/stats')
  const text = section(await page(emulator), 'clock')
  expect(text).toContain('<time datetime="2026-01-15T12:00:00Z">2026-01-15 14:00:00</time> Europe/Bucharest')
  expect(text).toContain('Mode <strong>virtual</strong>: stands until it is moved.')
  expect(text).toContain('Next: burst window of account 1 resets in 10 s, at 2026-01-15 14:00:10.')
  expect(text).toContain('the limit of sign-in tries and the age of sessions stand too')
})

test.each([
  ['clock/step', '1s', 1_000],
  ['clock/step', '1m', 60_000],
  ['clock/step', '1h', 3_600_000],
  ['clock/step', '1d', 86_400_000],
  ['clock/advance', ' 90s ', 90_000],
])('%s by %s moves the clock', async (action, by, ms) => {
  const emulator = await emulated()
  const answer = await sendForm(emulator, action, { by })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/_emulator/ui?#clock'])
  expect(emulator.control.clock.get().now).toBe(after(ms))
})

test('the button for the next event moves the clock there once, however often it is pressed', async () => {
  const emulator = await emulated({ quotas: { minute: 60 } })
  await send(emulator, 'GET', '/api/stats')
  const text = section(await page(emulator), 'clock')
  expect(text).toContain('To the next event (burst window of account 1 resets, 10 s)')
  const to = /name="to" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await Promise.all([1, 2, 3].map(() => sendForm(emulator, 'clock/next', { to })))
  expect(emulator.control.clock.get().now).toBe(after(10_000))
  expect(await landed(emulator, await sendForm(emulator, 'clock/next', { to }))).toContain('already past that event')
})

test('a clock that is set back says what becomes of the quota windows', async () => {
  const emulator = await emulated()
  const forward = await sendForm(emulator, 'clock/set', { at: '2026-03-01T00:00:00Z' })
  expect(await landed(emulator, forward)).not.toContain('set back')
  const back = await sendForm(emulator, 'clock/set', { at: '2026-02-01T00:00:00Z' })
  expect(await landed(emulator, back)).toContain(
    'set back to 2026-02-01T00:00:00.000Z. Quota windows keep their charges',
  )
})

test.each([
  ['clock/advance', 'by', 'soon <b>', 'clock-advance-by', 'is not a duration: write 500ms, 60s, 5m, 1h or 1d'],
  ['clock/advance', 'by', '', 'clock-advance-by', 'is not a duration'],
  ['clock/set', 'at', 'yesterday', 'clock-set-at', 'takes an instant of the years 1 to 9998'],
  ['clock/mode', 'mode', 'slow', 'clock-mode-mode', 'The mode is system, virtual or auto'],
])('%s with the %s "%s" says beside the field what it takes, and keeps what was entered', async (...row) => {
  const [action, field, value, id, problem] = row
  const emulator = await emulated()
  const answer = await sendForm(emulator, action, { [field]: value })
  const html = await answer.text()
  expect(answer.status).toBe(422)
  expect(problemBeside(html, id)).toContain(problem)
  if (field !== 'mode')
    expect(html).toContain(`name="${field}" type="text" value="${value.replace('<b>', '&lt;b&gt;')}"`)
  expect(emulator.control.clock.get()).toEqual({ now: after(0), mode: 'virtual' })
})

test('with the system clock the moving buttons are off and say how to make it movable, and a form is refused in the service’s words', async () => {
  const emulator = await emulated({ clock: 'system' })
  const text = section(await page(emulator), 'clock')
  expect(text.match(/id="step-1[smhd]" disabled/g)).toHaveLength(4)
  expect(text).toContain('Switch to virtual')
  const answer = await sendForm(emulator, 'clock/advance', { by: '1m' })
  expect([answer.status, section(await answer.text(), 'clock')]).toEqual([
    422,
    expect.stringContaining('This clock follows the system clock and cannot be moved: switch it to the mode'),
  ])
  const pressed = await (await sendForm(emulator, 'clock/step', { by: '1m' })).text()
  expect(section(pressed, 'clock')).toMatch(/<\/div>\s*<p class="problem" role="alert">This clock follows/)
  await sendForm(emulator, 'clock/mode', { mode: 'virtual' })
  expect(emulator.control.clock.get().mode).toBe('virtual')
})

test('a clock that the caller gave says that it cannot be switched', async () => {
  const emulator = await emulated({ clock: createVirtualClock() })
  const answer = await sendForm(emulator, 'clock/mode', { mode: 'system' })
  expect(await answer.text()).toContain('The emulator was given this clock and cannot switch it')
})

test.each([
  [0, '0 s'],
  [1, '1 s'],
  [42_000, '42 s'],
  [65_000, '1 min 5 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 day 1 h'],
  [200_000_000, '2 days 7 h'],
])('%i ms are %s', (ms, text) => {
  expect(spanText(ms)).toBe(text)
})
