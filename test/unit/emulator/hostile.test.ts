import { describe, expect, test, vi } from 'vitest'
import { emulated, send } from './emulated.ts'

test('a request target of more than 8 KiB is refused with 414 before it is parsed', async () => {
  const emulator = await emulated()
  for (const path of [`/api${'/'.repeat(8_200)}x`, `/${'x'.repeat(9_000)}`, `/api/uploads?page=${'1'.repeat(9_000)}`]) {
    expect((await send(emulator, 'GET', path)).status).toBe(414)
  }
  expect(emulator.control.requests.list().kept).toBe(0)
})

describe('control bodies', () => {
  const deep = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`
  const shapes = [
    ...['', '{}', '[]', 'null', '1', '"x"', 'true', '[null]', '[[]]', '{', '\u0000'],
    ...['{"mode":{}}', '{"count":{}}', '{"__proto__":1}'],
    deep('[', ']', 200_000),
    deep('{"a":', '}', 200_000),
    `[{"action":{"type":"status","status":500,"body":${deep('[', ']', 200_000)}}}]`,
  ]
  const calls = [
    ['POST', '/reset'],
    ['PUT', '/state'],
    ['POST', '/clock'],
    ['PATCH', '/settings'],
    ['POST', '/accounts'],
    ['PATCH', '/accounts/1'],
    ['POST', '/accounts/1/key'],
    ['POST', '/accounts/1/uploads'],
    ['PATCH', '/uploads/x'],
    ['PUT', '/faults'],
    ['POST', '/requests/verify'],
  ] as const

  test.each(calls)('no shape or depth of a body breaks %s %s, and the service stays up', async (method, path) => {
    const warned = vi.spyOn(process, 'emitWarning')
    const emulator = await emulated()
    for (const body of shapes) {
      const { status } = await send(emulator, method, `/_emulator${path}`, { body })
      expect([body.slice(0, 80), status < 500]).toEqual([body.slice(0, 80), true])
    }
    expect(emulator.control.faults.list()).toEqual([])
    expect((await send(emulator, 'GET', '/_emulator/health')).status).toBe(200)
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  test('a fault whose body cannot be written as JSON is refused, and the earlier faults stay', async () => {
    const emulator = await emulated()
    const { faults } = emulator.control
    faults.set([{ times: 1, action: { type: 'status', status: 500 } }])
    const circle: unknown[] = []
    circle.push(circle)
    for (const body of [circle, 1n, JSON.parse(deep('[', ']', 101))]) {
      expect(() => faults.set([{ action: { type: 'status', status: 418, body } }])).toThrow(
        'JSON of at most 100 levels',
      )
    }
    expect(faults.list()).toHaveLength(1)
    expect(
      faults.set([{ action: { type: 'status', status: 418, body: JSON.parse(deep('[', ']', 100)) } }]),
    ).toHaveLength(1)
    expect((await send(emulator, 'GET', '/_emulator/state')).status).toBe(200)
  })
})

test('texts of 900 KB, and numbers beyond every clock, size and list, are refused in a message of a line', async () => {
  const emulator = await emulated()
  const long = 'a'.repeat(900_000)
  for (const [method, path, body] of [
    ['PATCH', '/settings', { [long]: 1 }],
    ['PATCH', '/settings', { timezone: long }],
    ['PATCH', '/accounts/1', { [long]: 1 }],
    ['POST', '/clock', { [long]: 1 }],
    ['POST', '/clock', { advance: long }],
    ['PUT', '/faults', [{ action: { type: long } }]],
    ['POST', '/clock', { advance: `${'9'.repeat(308)}h` }],
    ['POST', '/clock', { advance: 1e308 }],
    ['POST', '/clock', { set: 1e308 }],
    ['POST', '/accounts/1/uploads', { count: 1e308 }],
    ['POST', '/accounts/1/uploads', { count: 2, interval_seconds: 1e308 }],
    ['PATCH', '/settings', { max_file_size: '9007199254740991g' }],
    ['PATCH', '/settings', { page_size: 1e308 }],
    ['PUT', '/faults', [{ action: { type: 'delay', ms: 1e308 } }]],
  ] as const) {
    const response = await send(emulator, method, `/_emulator${path}`, { body: JSON.stringify(body) })
    expect([path, response.status]).toEqual([path, 422])
    expect((await response.text()).length).toBeLessThan(3_000)
  }
})

test('the log keeps at most a line of a method and a path', async () => {
  const emulator = await emulated()
  const long = 'A'.repeat(1_000_000)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Api-Key': '' }
  for (let sent = 0; sent < 3; sent += 1)
    await send(emulator, 'POST', '/api/stats', { headers, body: `_method=${long}` })
  await send(emulator, 'GET', `/api/${'x'.repeat(8_000)}`)
  const { requests, kept } = emulator.control.requests.list()
  expect(kept).toBe(4)
  for (const { method, endpoint } of requests) expect(method.length + endpoint.length).toBeLessThan(2_100)
})

test.each(['\u00b5', '\u00ff'])('a CORS preflight for a method with %s allows that method', async (method) => {
  const emulator = await emulated()
  const headers = { Origin: 'http://page.test', 'Access-Control-Request-Method': `x${method}` }
  const response = await send(emulator, 'OPTIONS', '/api/upload', { headers })
  expect([response.status, response.headers.get('Access-Control-Allow-Methods')]).toEqual([204, `X${method}`])
})

test('a preflight that asks for a local address allows it, unless the setting cors is off', async () => {
  const emulator = await emulated()
  const asked = { Origin: 'https://page.test', 'Access-Control-Request-Method': 'GET' }
  const allowed = async (headers: Record<string, string>) =>
    (await send(emulator, 'OPTIONS', '/api/stats', { headers })).headers.get('Access-Control-Allow-Private-Network')
  const local = { ...asked, 'Access-Control-Request-Private-Network': 'true' }
  expect([await allowed(local), await allowed(asked)]).toEqual(['true', null])
  emulator.control.settings.update({ cors: 'off' })
  expect(await allowed(local)).toBe(null)
})

test('a call for a new key refuses a password and says that none is checked', async () => {
  const emulator = await emulated()
  const ask = (body: string) => send(emulator, 'POST', '/_emulator/accounts/1/key', { body })
  const refused = await ask('{"password":"wrong"}')
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('does not check passwords')])
  expect([(await ask('')).status, (await ask('{}')).status]).toEqual([200, 200])
})
