import { expect, test } from 'vitest'
import { VerificationError } from '../../../../emulator/index.ts'
import { emulated, send } from '../emulated.ts'
import { callControl } from './control-call.ts'

async function visited() {
  const emulator = await emulated()
  for (const path of ['/api/stats', '/api/uploads', '/api/uploads/none', '/api/stats'])
    await send(emulator, 'GET', path)
  await send(emulator, 'DELETE', '/api/uploads/none')
  return emulator
}

test.each([
  [{}, 5],
  [{ method: 'get', path: '/api/stats' }, 2],
  [{ path: '/api/uploads*', status: 404, count: 2 }, 2],
  [{ account_id: 1, count: { min: 5 } }, 5],
  [{ method: 'POST', count: 0 }, 0],
  [{ method: 'DELETE', count: { max: 1 } }, 1],
  [{ method: 'GET', count: { min: 1, max: 4 } }, 4],
])('a verification of %j finds %i requests', async (expectation, found) => {
  const emulator = await visited()
  expect(emulator.control.requests.verify(expectation)).toEqual({ verified: true, found })
  const over = await callControl(emulator, 'POST', '/requests/verify', expectation)
  expect(over).toMatchObject({ status: 200, body: { verified: true, found } })
})

test('a verification that finds too few requests is answered 409 with the closest requests and how they differ', async () => {
  const emulator = await visited()
  const expectation = { method: 'DELETE', path: '/api/uploads/none', status: 200 }
  const { status, body } = await callControl(emulator, 'POST', '/requests/verify', expectation)
  expect([status, body.error.code]).toEqual([409, 'not-as-expected'])
  expect(body.error).toMatchObject({
    message:
      'Expected at least 1 DELETE /api/uploads/none answered 200, but the log has 0. The closest, DELETE ' +
      '/api/uploads/none answered 404 at 2026-01-15T12:00:00.000Z, has status 404 instead of 200',
    expected: { min: 1, max: null },
    found: 0,
    near_misses: [
      { request: { method: 'DELETE' }, differs: { status: { expected: 200, found: 404 } } },
      { differs: { method: { expected: 'DELETE', found: 'GET' }, status: { expected: 200, found: 404 } } },
      { request: { endpoint: '/api/uploads' }, differs: { path: { found: '/api/uploads' } } },
      { request: { endpoint: '/api/stats' } },
      { request: { endpoint: '/api/stats' } },
    ],
  })
})

test('a verification that finds too many requests shows the matching ones, and the typed call throws the same', async () => {
  const { control } = await visited()
  const verify = () => control.requests.verify({ path: '/api/stats', count: 1 })
  expect(verify).toThrow(VerificationError)
  expect(verify).toThrow(
    'Expected exactly 1 request to /api/stats, but the log has 2, the last of them GET /api/stats answered 200 at ',
  )
  try {
    verify()
  } catch (error) {
    const { expected, found, nearMisses } = error as VerificationError
    expect([expected, found]).toEqual([{ min: 1, max: 1 }, 2])
    expect(nearMisses.map(({ request, differs }) => [request.endpoint, differs])).toEqual([
      ['/api/stats', {}],
      ['/api/stats', {}],
    ])
  }
})

test.each([
  [{ colour: 'red' }, /no field "colour"; there are account_id, method, path, status, headers, file, count/],
  [{ count: -1 }, /count takes a whole number from zero up, or an object with min, max or both/],
  [{ count: { min: 3, max: 2 } }, /count takes/],
  [{ count: {} }, /count takes/],
  [{ count: { least: 1 } }, /count takes/],
  [{ status: 'ok' }, /status takes/],
])('the expectation %j is refused', async (expectation, message) => {
  const emulator = await emulated()
  const { status, body } = await callControl(emulator, 'POST', '/requests/verify', expectation)
  expect([status, body.error.code]).toEqual([422, 'invalid-value'])
  expect(body.error.message).toMatch(message)
})
