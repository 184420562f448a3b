import { expect, test, vi } from 'vitest'
import { curlOf } from '../../../../emulator/dashboard/assets/copies.ts'
import { shown, times as timesOf } from '../../../../emulator/dashboard/assets/shown.ts'
import { briefReason, strikeWords, whyText } from '../../../../emulator/dashboard/assets/why.ts'
import type { Emulator, LoggedRequest } from '../../../../emulator/index.ts'
import { emulated, send } from '../emulated.ts'

// lit-html would say on the console that this is no build for users.
vi.hoisted(() => Object.assign(globalThis, { litIssuedWarnings: new Set(['dev-mode']) }))

const times = timesOf({ clock: { now: '2026-01-15T12:00:00Z' }, settings: { timezone: 'Europe/Bucharest' } })

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

test('an instant is written in the service’s zone, with its date if it is another day, and never too early if it is due', () => {
  const [at, tomorrow] = ['2026-01-15T12:00:00.900Z', '2026-01-16T00:00:00.123Z']
  const written = [times.second(at), times.due(at), times.precise(tomorrow)]
  expect(written).toEqual(['14:00:00', '14:00:01', '2026-01-16 02:00:00.123'])
})

test.each([
  [{ match: {}, times: 1 }, 'strikes all API requests, 1 of 1 left'],
  [{ match: { method: 'POST', nth: 3 }, times: null }, 'strikes POST API requests from match 3 on, every time'],
  [{ match: { path: '/api/stats', account_id: 2 }, times: 3 }, 'strikes /api/stats of account 2, 3 of 3 left'],
])('a fault of %j %s', (fault, words) => {
  expect(strikeWords({ ...fault, id: 1, seen: 0, struck: 0, action: { type: 'delay', ms: 5 } })).toBe(words)
})

test('a request is copied as a command, with no secret, and no word of it reaches a shell', async () => {
  const emulator = await emulated()
  await send(emulator, 'DELETE', `/api/uploads/it's`, { headers: { 'X-Note': '$(id) `id`' } })
  await emulator.fetch(`http://h/api/stats?api_key=${emulator.apiKey}&x=$(id)`)
  const [first, second] = [1, 2].map((number) => emulator.control.requests.get(number))
  if (first === undefined || second === undefined) throw new Error('Two requests are logged')
  expect(curlOf(first, 'http://e')).toBe(
    `curl -X DELETE 'http://h/api/uploads/it'\\''s' \\\n  -H "X-Api-Key: $FH_API_KEY" \\\n  -H 'x-note: $(id) \`id\`'`,
  )
  expect(curlOf(second, 'http://e')).toContain('"http://h/api/stats?api_key=$FH_API_KEY&x=\\$(id)"')
})
