import { expect, test } from 'vitest'
import { describeService } from '../../../../emulator/openapi/document.ts'
import { endpoints } from '../../../../src/protocol/endpoints.ts'
import { createDescription } from '../../../contract/described.ts'
import { uploadObject } from '../../../helpers/media.ts'
import { emulated, send } from '../emulated.ts'

test('the OpenAPI document has the five calls and no others', () => {
  const { openapi, paths } = describeService()
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(openapi).toBe('3.1.0')
  expect(calls.sort()).toEqual(
    Object.values(endpoints)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  )
})

test('every reference in the OpenAPI document resolves', () => {
  const text = JSON.stringify(describeService())
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) expect(describeService().components.schemas).toHaveProperty(String(name))
})

test('the OpenAPI document of a listening emulator names its address as the server', async () => {
  const emulator = await emulated()
  expect(emulator.control.openapi().servers).toEqual([{ url: '{base_url}', variables: expect.anything() }])
  const { baseUrl } = await emulator.listen()
  expect(emulator.control.openapi().servers).toEqual([{ url: baseUrl }])
})

/** How an answer differs from the document. */
function faults(method: string, path: string, status: number, body: unknown, type = 'application/json'): string {
  const headers = new Headers({ 'Content-Type': type })
  const answer = { method, path, status, headers, text: JSON.stringify(body) }
  return createDescription([]).problemsOf(answer).join()
}

test.each<[string, string, number, unknown, RegExp]>([
  ['GET', '/api/uploads/a1', 200, { upload: { ...uploadObject, size: '5' } }, /\/upload\/size must be integer/],
  [
    'GET',
    '/api/uploads/a1',
    200,
    { upload: { ...uploadObject, title: undefined } },
    /must have required property 'title'/,
  ],
  [
    'GET',
    '/api/uploads/a1',
    200,
    { upload: { ...uploadObject, created_at: '2026-01-15T12:00:00Z' } },
    /created_at must match pattern/,
  ],
  ['GET', '/api/uploads/a1', 200, uploadObject, /must have required property 'upload'/],
  ['GET', '/api/uploads/a1', 404, { error: 'No', message: 'No' }, /must NOT be valid/],
  ['DELETE', '/api/uploads/a1', 200, { deleted: 1 }, /must be equal to constant/],
  ['GET', '/api/stats?api_key=k', 401, { message: 'No' }, /must have required property 'error'/],
  ['GET', '/api/stats', 302, {}, /no answer 302/],
])('an answer to %s %s with %i %j does not match the OpenAPI document', (method, path, status, body, fault) => {
  expect(faults(method, path, status, body)).toMatch(fault)
})

test('an HTML page instead of JSON does not match the OpenAPI document', () => {
  expect(faults('GET', '/api/stats', 500, {}, 'text/html')).toBe('a body of text/html')
})

test.each(['/api/uploads?page=2', '/api/uploads?page=9', '/api/stats', '/api/uploads/none'])(
  'the emulator’s answer to GET %s matches the OpenAPI document',
  async (path) => {
    const emulator = await emulated()
    emulator.control.accounts.addUploads(1, { count: 60 })
    const response = await send(emulator, 'GET', path)
    expect(faults('GET', path, response.status, await response.json())).toBe('')
  },
)
