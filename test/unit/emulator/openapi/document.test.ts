import { expect, test } from 'vitest'
import { describeService } from '../../../../emulator/openapi/document.ts'
import { endpoints } from '../../../../src/protocol/endpoints.ts'
import { createDescription } from '../../../contract/described.ts'
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

test.each(['/api/uploads?page=2', '/api/uploads?page=9', '/api/stats', '/api/uploads/none'])(
  'the emulator’s answer to GET %s matches the OpenAPI document',
  async (path) => {
    const emulator = await emulated()
    emulator.control.accounts.addUploads(1, { count: 60 })
    const response = await send(emulator, 'GET', path)
    const { status, headers } = response
    const answer = { method: 'GET', path, status, headers, text: await response.text() }
    expect(createDescription([]).problemsOf(answer)).toEqual([])
  },
)
