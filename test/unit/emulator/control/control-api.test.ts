import { expect, test } from 'vitest'
import { emulated, json, send, sendFile } from '../emulated.ts'
import { callControl } from './control-call.ts'

test('every read over HTTP gives the same as the typed call', async () => {
  const emulator = await emulated()
  const { control } = emulator
  await send(emulator, 'GET', '/api/stats')
  const over = async (path: string) => (await callControl(emulator, 'GET', path)).body
  expect(await over('/health')).toEqual(control.health())
  expect(await over('/state')).toEqual(await control.state.get())
  expect(await over('/clock')).toEqual(control.clock.get())
  expect(await over('/settings')).toEqual(control.settings.get())
  expect(await over('/accounts')).toEqual(control.accounts.list())
  expect(await over('/accounts/1')).toEqual(control.accounts.get(1))
  expect(await over('/accounts/1/quota')).toEqual(control.accounts.quota(1))
  expect(await over('/requests')).toEqual(control.requests.list())
  expect(await over('/faults/types')).toEqual(control.faults.types())
  expect(await over('/openapi.json')).toEqual(control.openapi())
})

test('health shows the version, the time, the amount of data and the capabilities', async () => {
  const emulator = await emulated()
  await sendFile(emulator, 1_000)
  await callControl(emulator, 'POST', '/accounts/1/uploads', { count: 2, size: 50 })
  expect((await callControl(emulator, 'GET', '/health')).body).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    clock: { now: '2026-01-15T12:00:00.000Z', mode: 'virtual' },
    uploads: 3,
    log: { last: 1, kept: 1, dropped: 0 },
    bytes_stored: 1_100,
    capabilities: expect.arrayContaining([
      'accounts',
      'clock',
      'faults',
      'report',
      'requests',
      'reset',
      'settings',
      'state',
      'uploads',
    ]),
  })
  // Calls of the control API are neither logged nor charged.
  expect(emulator.control.accounts.quota(1).day.used).toBe(10)
})

test('an account is created, changed, given a new key and deleted over HTTP', async () => {
  const emulator = await emulated()
  const created = await callControl(emulator, 'POST', '/accounts', { email: 'me@example.com', albums: 3 })
  expect(created).toMatchObject({ status: 201, body: { id: 2, email: 'me@example.com' } })
  const status = async (key: string) =>
    (await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': key } })).status
  expect(await status(created.body.api_key)).toBe(200)

  const patched = await callControl(emulator, 'PATCH', '/accounts/2', { suspended: true, suspension_reason: 'Rest' })
  expect(patched).toMatchObject({ status: 200, body: { suspended: true, suspension_reason: 'Rest', albums: 3 } })
  expect(await status(created.body.api_key)).toBe(403)
  await callControl(emulator, 'PATCH', '/accounts/2', { suspended: false })

  const renewed = await callControl(emulator, 'POST', '/accounts/2/key')
  expect(renewed).toMatchObject({ status: 200, body: { api_key: expect.stringMatching(/^[A-Za-z0-9]{40}$/) } })
  expect([await status(created.body.api_key), await status(renewed.body.api_key)]).toEqual([401, 200])

  const { slugs = [] } = emulator.control.accounts.addUploads(2, { count: 1 })
  for (const [code, body] of [
    [200, { deleted: true }],
    [404, { error: { code: 'no-such-account' } }],
  ] as const) {
    expect(await callControl(emulator, 'DELETE', '/accounts/2')).toMatchObject({ status: code, body })
  }
  expect(await status(renewed.body.api_key)).toBe(401)
  expect((await callControl(emulator, 'PATCH', `/uploads/${slugs[0]}`, { likes: 1 })).status).toBe(404)
})

test('a PATCH of settings over HTTP changes all of them or none', async () => {
  const emulator = await emulated()
  const changed = await callControl(emulator, 'PATCH', '/settings', { api_enabled: false, max_file_size: '2MB' })
  expect(changed).toMatchObject({ status: 200, body: { api_enabled: false, max_file_size: 2_097_152 } })
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(503)
  const refused = await callControl(emulator, 'PATCH', '/settings', { api_enabled: true, max_file_sise: 1 })
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'invalid-value' } } })
  expect(refused.body.error.message).toMatch(/no setting "max_file_sise"; there are /)
  expect((await callControl(emulator, 'PATCH', '/settings', { soft_delay: 'big' })).body.error.message).toMatch(
    /soft_delay takes one of linear, fixed, off/,
  )
  expect(emulator.control.settings.get().api_enabled).toBe(false)
})

test('one clock call switches, sets and advances the clock, in this order', async () => {
  const emulator = await emulated({ clock: 'system' })
  const body = { advance: '90s', set: '2026-03-01T00:00:00Z', mode: 'virtual' }
  expect(await callControl(emulator, 'POST', '/clock', body)).toMatchObject({
    status: 200,
    body: { now: '2026-03-01T00:01:30.000Z', mode: 'virtual' },
  })
  expect((await callControl(emulator, 'POST', '/clock', { mode: 'system' })).body.mode).toBe('system')
  const refused = await callControl(emulator, 'POST', '/clock', { advance: '1s' })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'clock-not-virtual' } } })
})

test.each<[object, number]>([
  [{ mode: 'virtual', advance: 60 }, 422],
  [{ speed: 2 }, 422],
  [{}, 422],
  [{ mode: 'virtual', advance: '99999999d' }, 422],
  [{ set: '9998-12-01T00:00:00Z', advance: '30d' }, 422],
  [{ mode: 'system', advance: '1m' }, 409],
])('the clock call %j changes nothing if one part is refused', async (body, status) => {
  for (const clock of ['virtual', 'system'] as const) {
    const emulator = await emulated({ clock })
    const before = emulator.clock.now()
    expect((await callControl(emulator, 'POST', '/clock', body)).status).toBe(status)
    expect(emulator.control.clock.get().mode).toBe(clock)
    if (clock === 'virtual') expect(emulator.clock.now()).toBe(before)
  }
})

test('synthetic uploads are listed, newest first, among the existing ones, end at the present or begin when asked, and are changed by their slug', async () => {
  const emulator = await emulated()
  const batch = { count: 2, mime_type: 'video/mp4', size: 2_000, interval_seconds: 60 }
  const added = await callControl(emulator, 'POST', '/accounts/1/uploads', batch)
  expect(added).toMatchObject({ status: 201, body: { created: 2 } })
  emulator.control.accounts.addUploads(1, { count: 1, created_at: '2026-01-15T11:59:30Z' })
  const { data } = await json(send(emulator, 'GET', '/api/uploads'))
  expect(data.map(({ created_at }) => created_at)).toEqual([
    '2026-01-15T14:00:00+02:00',
    '2026-01-15T13:59:30+02:00',
    '2026-01-15T13:59:00+02:00',
  ])
  expect(data.at(-1)).toMatchObject({ slug: added.body.slugs[0], mime_type: 'video/mp4', size: 2_000 })
  const patch = { title: 'Lake', views: 5, likes: 2 }
  const patched = await callControl(emulator, 'PATCH', `/uploads/${added.body.slugs[0]}`, patch)
  expect(patched).toMatchObject({ status: 200, body: patch })
})

test('the log is read and cleared by filters, and statistics no longer count cleared requests', async () => {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/uploads/none')
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'DELETE', '/api/uploads/none')
  const { body } = await callControl(emulator, 'GET', '/requests?path=/api/uploads/*&status=404&account_id=1')
  expect(body.requests.map(({ method }: { method: string }) => method)).toEqual(['GET', 'DELETE'])
  expect([body.kept, body.dropped]).toEqual([3, 0])
  expect((await callControl(emulator, 'DELETE', '/requests?method=delete')).body).toEqual({ deleted: 1 })
  expect((await callControl(emulator, 'GET', '/requests')).body.kept).toBe(2)
  expect((await json(send(emulator, 'GET', '/api/stats'))).api_requests).toBe(2)
  expect((await callControl(emulator, 'DELETE', '/requests')).body).toEqual({ deleted: 3 })
})

test.each<[string, string, string | undefined, number, string]>([
  ['GET', '/nothing', undefined, 404, 'no-such-call'],
  ['GET', '/accounts/2', undefined, 404, 'no-such-account'],
  ['DELETE', '/health', undefined, 405, 'method-not-allowed'],
  ['PATCH', '/settings', '{"api_enabled":', 400, 'invalid-json'],
  ['PATCH', '/settings', '[]', 422, 'invalid-value'],
  ['PATCH', '/uploads/none', '{"views":5}', 404, 'no-such-upload'],
  ['POST', '/accounts', '{"email":"user@example.com"}', 409, 'taken'],
  ['GET', '/requests?colour=red', undefined, 422, 'invalid-value'],
  ['POST', '/accounts/1/uploads', '{}', 422, 'invalid-value'],
  ['POST', '/accounts/1/uploads', '{"count":1,"mime_type":"image/tiff"}', 422, 'invalid-value'],
  ['POST', '/accounts/1/uploads', '{"count":1,"created_at":"+275760-09-13T00:00:00Z"}', 422, 'invalid-value'],
  ['PUT', '/state', '{}', 422, 'invalid-snapshot'],
])('the control call %s %s with the body %s is answered %i %s', async (method, path, body, status, code) => {
  const emulator = await emulated()
  const answer = await callControl(emulator, method, path, body)
  expect([answer.status, answer.body.error.code]).toEqual([status, code])
  expect(answer.body.error.message).not.toBe('')
})

test('a control body may have a byte order mark, and one in UTF-16 is named as such', async () => {
  const emulator = await emulated()
  expect((await callControl(emulator, 'PATCH', '/settings', '\ufeff{"page_size":7}')).status).toBe(200)
  expect(emulator.control.settings.get()).toMatchObject({ page_size: 7 })
  const body = Buffer.from('\ufeff{"page_size":8}', 'utf16le').toString()
  expect((await callControl(emulator, 'PATCH', '/settings', body)).body.error).toMatchObject({
    code: 'invalid-json',
    message: 'The body is not JSON: it is UTF-16 text: save it as UTF-8',
  })
})

test('a control answer is JSON against caching, sniffing and other origins; a path may end in a slash, and a 405 names the methods', async () => {
  const emulator = await emulated()
  const { status, headers } = await callControl(emulator, 'GET', '/health/')
  expect([status, headers.get('Content-Type'), headers.get('X-Content-Type-Options')]).toEqual([
    200,
    'application/json',
    'nosniff',
  ])
  expect(headers.get('Cache-Control')).toMatch(/no-cache|no-store/)
  expect(headers.has('Access-Control-Allow-Origin')).toBe(false)
  expect(await callControl(emulator, 'HEAD', '/health')).toMatchObject({ status: 200, body: undefined })
  expect((await callControl(emulator, 'PUT', '/settings', {})).headers.get('Allow')).toBe('GET, PATCH')
})

test('a control body that is too large is refused, with and without Content-Length', async () => {
  const emulator = await emulated()
  const large = JSON.stringify({ email: 'x'.repeat(1_048_576) })
  const tooLarge = { status: 413, body: { error: { code: 'body-too-large' } } }
  expect(await callControl(emulator, 'POST', '/accounts', large)).toMatchObject(tooLarge)
  const headers = { 'Content-Length': '2000000' }
  expect(await callControl(emulator, 'POST', '/accounts', '{}', headers)).toMatchObject(tooLarge)
})
