import { expect, test } from 'vitest'
import { curlOf, faultOf, testOf } from '../../../../emulator/dashboard/assets/copies.ts'
import { actionWords, leftWords, ordinal, strikeWords } from '../../../../emulator/dashboard/assets/fault-words.ts'
import { faultIn, problemsIn } from '../../../../emulator/dashboard/assets/input.ts'
import { pictureType, piecesOf } from '../../../../emulator/dashboard/assets/pieces.ts'
import { shown, spanText, timesIn } from '../../../../emulator/dashboard/assets/shown.ts'
import { briefReason, whyText } from '../../../../emulator/dashboard/assets/why.ts'
import type { Emulator, LoggedRequest } from '../../../../emulator/index.ts'
import { emulated, send } from '../emulated.ts'

const times = timesIn('Europe/Bucharest', Date.parse('2026-01-15T12:00:00Z'))

const logged = ({ control }: Emulator) => control.requests.list().requests
const whyOf = (request: LoggedRequest) => [whyText(request, times), briefReason(request)]

test('a request says which window was full, how full, and when it fits, never too early', async () => {
  const emulator = await emulated({ quotas: { minute: 5, burst: null, hour: null, day: null } })
  await emulator.control.clock.advance(1)
  for (let count = 1; count <= 4; count += 1) await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'DELETE', '/api/uploads/none')
  emulator.control.settings.update({ quotas: { minute: 2 } })
  await send(emulator, 'DELETE', '/api/uploads/none')
  expect(logged(emulator).slice(4).map(whyOf)).toEqual([
    ['429: minute window full, 4 of 5 used, 3 needed; fits at 14:01:01', 'minute full, too early'],
    ['429: minute window full, 4 of 2 used, 3 needed; it never fits', 'minute full, too early'],
  ])
})

test('a request says why it was refused, for every reason, in a sentence and in two or three words', async () => {
  const emulator = await emulated()
  const { control } = emulator
  await emulator.fetch('/api/stats')
  await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })
  control.accounts.update(1, { suspended: true, suspension_reason: '<i>spam</i>' })
  await send(emulator, 'GET', '/api/stats')
  control.accounts.update(1, { suspended: false, ip_allowlist: ['10.0.0.0/8'] })
  await send(emulator, 'GET', '/api/stats')
  control.accounts.update(1, { ip_allowlist: [] })
  control.faults.add({ times: 1, action: { type: 'status', status: 418 } })
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'DELETE', '/api/uploads/none')
  control.settings.update({ api_enabled: false })
  await send(emulator, 'GET', '/api/stats')
  expect(logged(emulator).map(whyOf)).toEqual([
    ['401: no key was sent', 'invalid key'],
    ['401: no account has this key', 'invalid key'],
    ['403: account 1 is suspended: <i>spam</i>', 'suspended'],
    ['403: 127.0.0.1 is not on the allowlist of account 1', 'address not allowed'],
    ['418: fault 1 struck (status)', 'fault status'],
    ['404: upload not found', 'upload not found'],
    ['503: the API is disabled for everyone (setting api_enabled)', 'api disabled'],
  ])
})

test('what could not be seen is written as its number, and long texts are cut', () => {
  expect(shown('a\u0001\u009b\u202eb\n')).toBe('a\\u0001\\u009b\\u202eb\\u000a')
  expect(shown('a\tb\n\u202e', 200, true)).toBe('a\tb\n\\u202e')
  expect(shown('x'.repeat(300)).length).toBe(201)
})

test.each([
  [0, '0 s'],
  [1, '1 s'],
  [65_000, '1 min 5 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 day 1 h'],
  [200_000_000, '2 days 7 h'],
])('%i ms are %s', (ms, text) => {
  expect(spanText(ms)).toBe(text)
})

test('words of faults', () => {
  const armed = { id: 1, seen: 0, struck: 1, match: {}, times: 1, action: { type: 'delay', ms: 5 } } as const
  expect(strikeWords({ ...armed, times: 2 })).toBe('strikes the 1st to 2nd API request')
  expect([leftWords({ ...armed, times: 2 }), leftWords({ ...armed, times: null })]).toEqual([', 1 of 2 left', ''])
  expect(strikeWords({ ...armed, match: { method: 'post', nth: 3 }, times: null })).toBe(
    'strikes every POST API request from the 3rd on',
  )
  expect(actionWords({ type: 'slow_body', ms: 5, bytes: 2 })).toBe('slow_body: ms 5, bytes 2')
  expect(actionWords({ type: 'status', status: 500, body: 'x'.repeat(100) })).toMatch(/^status 500, body "x{59}…$/)
  expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(' ')).toBe('1st 2nd 3rd 4th 11th 12th 13th 21st 112th')
})

function filled(values: Readonly<Record<string, string>>): FormData {
  const fields = new FormData()
  for (const [name, value] of Object.entries(values)) fields.set(name, value)
  return fields
}

test('a form is a fault for the control API: empty fields are absent, and no number of times means every time', async () => {
  const { control } = await emulated()
  const values = { type: 'status', status: '503', body: '{"error":"busy"}', method: 'POST', path: ' /api/upload ' }
  const rest = { headers: 'Retry-After: 5\r\n\r\nX-Two: a: b', account_id: '1', nth: '2', times: '' }
  const fault = faultIn(filled({ ...values, ...rest }))
  expect(control.faults.add(fault as never)).toMatchObject({
    match: { method: 'POST', path: '/api/upload', account_id: 1, nth: 2 },
    times: null,
    action: { type: 'status', status: 503, body: { error: 'busy' }, headers: { 'Retry-After': '5', 'X-Two': 'a: b' } },
  })
  expect(() => faultIn(filled({ type: 'status', status: '503', headers: 'none' }))).toThrow(/lines of "name: value"/)
})

test('a refusal of the control API finds the fields that it names', async () => {
  const { control } = await emulated()
  const refusal = (act: () => unknown) => {
    try {
      return String(act())
    } catch (error) {
      return (error as Error).message
    }
  }
  const settings = refusal(() => control.settings.update({ page_size: 0, timezone: 'Mars', cors: 'off' }))
  expect([...problemsIn(settings, () => true).keys()]).toEqual(['page_size', 'timezone'])
  const path = refusal(() => control.faults.add({ match: { path: 'x' }, action: { type: 'reset_before' } }))
  const missing = refusal(() => control.faults.add({ action: { type: 'delay' } as never }))
  const fields = new Set(['path', 'ms'])
  expect([path, missing].flatMap((text) => [...problemsIn(text, (name) => fields.has(name)).keys()])).toEqual([
    'path',
    'ms',
  ])
})

test('a request is copied as a command, a fault and a test, with no secret, and no word of it reaches a shell', async () => {
  const emulator = await emulated()
  await send(emulator, 'DELETE', `/api/uploads/it's`, { headers: { 'X-Note': '$(id) `id`' } })
  await emulator.fetch(`http://h/api/stats?api_key=${emulator.apiKey}&x=$(id)`)
  const [first, second] = [1, 2].map((number) => emulator.control.requests.get(number))
  if (first === undefined || second === undefined) throw new Error('Two requests are logged')
  expect(curlOf(first, 'http://e')).toBe(
    `curl -X DELETE 'http://h/api/uploads/it'\\''s' \\\n  -H "X-Api-Key: $FH_API_KEY" \\\n  -H 'x-note: $(id) \`id\`'`,
  )
  expect(curlOf(second, 'http://e')).toContain('"http://h/api/stats?api_key=$FH_API_KEY&x=\\$(id)"')
  expect(JSON.parse(faultOf(first))).toMatchObject({ match: { method: 'DELETE' }, action: { status: 404 } })
  expect(testOf(second)).toBe(
    'emulator.control.requests.verify({ account_id: 1, method: "GET", path: "/api/stats", status: 200, count: 1 })',
  )
})

test('only known pictures are drawn, by their first bytes, and a form is told apart in parts', () => {
  expect(pictureType('\x89PNG\r\n')).toBe('image/png')
  expect(pictureType('<svg xmlns="x" onload="alert(1)">')).toBeUndefined()
  const form = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--b\r\nX: y\r\n\r\n\xff\r\n--b--\r\n'
  expect(piecesOf(form)).toEqual([
    { name: 'Content-Disposition: form-data; name="a"', bytes: 'one' },
    { name: 'X: y', bytes: '\xff' },
  ])
})
