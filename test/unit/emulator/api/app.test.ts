import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { multipartForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

test.each([
  ['GET', '/api', 'The route api could not be found.'],
  ['GET', '/api//uploads', 'The route api//uploads could not be found.'],
  ['GET', '/api/stats%2F', 'The route api/stats%2F could not be found.'],
  ['GET', '//api/uploads', 'The route api/uploads could not be found.'],
  ['OPTIONS', '/api/nope', 'The route api/nope could not be found.'],
  ['GET', '/nothing/', 'The route nothing could not be found.'],
  ['GET', '/i/.jpg', 'The route i/.jpg could not be found.'],
  ['GET', '/e/abc.jpg', 'The route e/abc.jpg could not be found.'],
])('silence 34, 53, 80: %s %s has no route', async (method, path, message) => {
  const response = await send(await emulated(), method, path)
  expect(response.status).toBe(404)
  expect(await response.text()).toBe(JSON.stringify({ message }, null, 4))
})

test.each([
  ['/api/uploads/', 200],
  ['/api/uploads///?page=1', 200],
  ['/api%2Fstats', 200],
  ['/api/uploads/%00', 404],
  ['/api/uploads/100%', 404],
  ['/api/uploads/%ff', 400],
])('silence 53, 79: the service answers GET %s with %d', async (path, status) => {
  const response = await send(await emulated(), 'GET', path)
  const message = status === 400 ? 'Malformed URL.' : 'No query results for model [App\\Models\\Upload].'
  expect(response.status).toBe(status)
  if (status !== 200) expect(await response.text()).toBe(JSON.stringify({ message }, null, 4))
})

test.each([
  ['HEAD', '/api/upload', 'POST'],
  ['PUT', '/api/uploads/abc', 'GET, HEAD, DELETE'],
  ['DELETE', '/api/stats/', 'GET, HEAD'],
])('silence 34: %s %s is not allowed, with or without a key', async (method, path, allowed) => {
  const response = await send(await emulated(), method, path, { headers: { 'X-Api-Key': 'wrong' } })
  expect([response.status, response.headers.get('Allow')]).toEqual([405, allowed])
  const route = path.replace(/^\/|\/$/g, '')
  const message = `The ${method} method is not supported for route ${route}. Supported methods: ${allowed}.`
  expect(await response.text()).toBe(method === 'HEAD' ? '' : JSON.stringify({ message }, null, 4))
})

test('OPTIONS lists the methods of a path, without a body', async () => {
  const response = await send(await emulated(), 'OPTIONS', '/api/uploads/abc')
  expect([response.status, await response.text()]).toEqual([200, ''])
  expect(Object.fromEntries(response.headers)).toMatchObject({
    allow: 'GET,HEAD,DELETE',
    'content-type': 'text/html; charset=utf-8',
    vary: 'Access-Control-Request-Method',
  })
})

const urlEncoded = { 'Content-Type': 'application/x-www-form-urlencoded' }

test.each<[string, Parameters<typeof send>[3], string?]>([
  ['in a header', { headers: { 'X-HTTP-Method-Override': 'delete' } }],
  ['in the query', {}, '?_method=DELETE'],
  ['in a form', { headers: urlEncoded, body: 'a=b&_method=DELETE' }],
  ['in a form, with another name that PHP reads as this', { headers: urlEncoded, body: '.method=DELETE' }],
  ['in a multipart form', multipartForm({ name: '_method', content: 'DELETE' })],
])('silence 57: a POST that names DELETE %s deletes, is logged and charged so', async (_, options, query = '') => {
  const emulator = await emulated()
  const { slugs } = emulator.control.accounts.addUploads(1, { count: 1 })
  expect(await json(send(emulator, 'POST', `/api/uploads/${slugs[0]}${query}`, options))).toEqual({ deleted: true })
  expect(emulator.control.requests.list({ method: 'DELETE' }).requests).toMatchObject([{ cost: 3, status: 200 }])
})

test.each([
  ['bad!', 400, 'Bad request.'],
  ['FROB', 405, 'The FROB method is not supported for route api/upload. Supported methods: POST.'],
])('an upload whose form says _method=%s is not stored, not charged and has no quota headers', async (...row) => {
  const [method, status, message] = row
  const emulator = await emulated({ quotas: { minute: 60 } })
  const file = { name: 'file', fileName: 'a.jpg', content: jpegBytes(100) }
  const form = multipartForm(file, { name: '_method', content: method })
  const response = await send(emulator, 'POST', '/api/upload', form)
  expect([response.status, await json(response)]).toEqual([status, { message }])
  expect(response.headers.has('X-RateLimit-Cost')).toBe(false)
  expect(emulator.control.requests.list().requests).toMatchObject([{ status, cost: 0, account_id: null }])
  expect([emulator.control.accounts.quota(1).minute.used, emulator.control.health().bytes_stored]).toEqual([0, 0])
})

test('silence 57: only POST can name another method', async () => {
  const response = await send(await emulated(), 'GET', '/api/stats?_method=DELETE')
  expect(response.status).toBe(200)
})

test('a fault for another path leaves the checks of a request as they are, and nothing is charged', async () => {
  const emulator = await emulated()
  emulator.control.faults.set([{ match: { path: '/api/uploads' }, action: { type: 'status', status: 500 } }])
  emulator.control.accounts.update(1, { suspended: true })
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(403)
  expect(emulator.control.accounts.quota(1).minute.used).toBe(0)
})

test('where failures are free a refusal by the quota still costs, with charge_rejected', async () => {
  const emulator = await emulated({ settings: { charge_failed: false, charge_rejected: true }, quotas: { burst: 1 } })
  const answers = [await send(emulator, 'GET', '/api/stats'), await send(emulator, 'GET', '/api/stats')]
  expect(answers.map(({ status }) => status)).toEqual([200, 429])
  expect(emulator.control.accounts.quota(1).minute.used).toBe(2)
})

test.each<[string, Readonly<Record<string, string>>, string, number, string]>([
  ['in the header', { 'X-Api-Key': 'key+' }, '?api_key=wrong', 200, 'header'],
  ['in the query', {}, '?api_key=key%2B', 200, 'query'],
  ['in the query with blanks around it', {}, '?api_key=%20key%2B%20', 200, 'query'],
  ['in the query, the last of several', {}, '?api_key=wrong&api_key=key%2B', 200, 'query'],
  ['in the query, before a wrong one', {}, '?api_key=key%2B&api_key=wrong', 401, 'query'],
  ['as a list in the query', {}, '?api_key[]=key%2B', 401, 'query'],
  ['in the query, but the header is empty', { 'X-Api-Key': '' }, '?api_key=key%2B', 401, 'header'],
  ['in the query, but the header is wrong', { 'X-Api-Key': 'wrong' }, '?api_key=key%2B', 401, 'header'],
  ['as a bearer token', { Authorization: 'Bearer key+' }, '', 401, 'none'],
  ['empty in the query', {}, '?api_key=', 401, 'query'],
  ['nowhere', {}, '', 401, 'none'],
])('silence 62, 65, 66, 67: a key %s', async (_, headers, query, status, key_in) => {
  const emulator = await emulated({ apiKey: 'key+' })
  const response = await emulator.fetch(`http://h/api/stats${query}`, { headers })
  expect(response.status).toBe(status)
  expect(emulator.control.requests.list().requests).toMatchObject([{ key_in, endpoint: '/api/stats' }])
})

test('a body declared larger than any upload is refused unread, before the key check', async () => {
  const emulator = await emulated({ maxFileSizeBytes: 1_000 })
  const declared = (length: number) => ({ headers: { 'X-Api-Key': 'wrong', 'Content-Length': String(length) } })
  const limit = 1_000 + 10 * 1_048_576
  expect((await send(emulator, 'POST', '/api/upload', declared(limit))).status).toBe(401)
  const response = await send(emulator, 'POST', '/api/upload', declared(limit + 1))
  expect([response.status, await json(response)]).toEqual([413, { message: 'The POST data is too large.' }])
})

test('spec 1, silence 3: every API request is logged with its outcome, oldest first', async () => {
  const emulator = await emulated({ quotas: { burst: 11, minute: 60 } })
  await send(emulator, 'GET', '/api/nope?api_key=x')
  await send(emulator, 'PUT', '/api/stats')
  await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })
  await send(emulator, 'GET', '/api/uploads/none')
  await send(emulator, 'POST', '/api/upload')
  await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/elsewhere')
  emulator.control.settings.update({ api_enabled: false })
  await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })
  const rows = emulator.control.requests.list().requests.map((request) => Object.values(request).slice(1, 9))
  const at = '2026-01-15T12:00:00.000Z'
  expect(rows).toEqual([
    ['GET', '/api/nope', 404, '127.0.0.1', at, 0, null, 'header'],
    ['PUT', '/api/stats', 405, '127.0.0.1', at, 0, null, 'header'],
    ['GET', '/api/stats', 401, '127.0.0.1', at, 0, null, 'header'],
    ['GET', '/api/uploads/none', 404, '127.0.0.1', at, 1, 1, 'header'],
    ['POST', '/api/upload', 422, '127.0.0.1', at, 10, 1, 'header'],
    ['GET', '/api/stats', 429, '127.0.0.1', at, 0, 1, 'header'],
    ['GET', '/api/stats', 503, '127.0.0.1', at, 0, null, 'header'],
  ])
})
