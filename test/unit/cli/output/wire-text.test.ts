import { expect, test } from 'vitest'
import type { ServedRequest } from '../../../../src/cli/output/events.ts'
import { createPalette } from '../../../../src/cli/output/terminal/terminal.ts'
import { presentRequest, requestLines } from '../../../../src/cli/output/wire-text.ts'

const plain = await createPalette(false)
const brief = { debug: false }
const request: ServedRequest = {
  at: new Date('2026-11-21T06:31:11').toISOString(),
  method: 'POST',
  path: '/api/upload',
  status: 201,
  duration_ms: 1_014,
  bytes: 412,
  cost: 10,
  account: 'user@example.com',
  fault: null,
  headers: { accept: '*/*' },
  answer_headers: { 'Content-Length': '412' },
}
const start = '06:31:11 POST /api/upload:'

test.each<[string, Partial<ServedRequest>, string]>([
  ['without a key', { status: 401, cost: 0, account: null }, '401, 1,014 ms, 412 B, 0 units, no account'],
  ['with a fault', { fault: 'delay', account: 'a\u001bb' }, '201, 1,014 ms, 412 B, 10 units, a\\x1bb, fault: delay'],
  ['that was not answered', { status: null, bytes: null }, 'no answer, 1,014 ms, 10 units, user@example.com'],
])('a request to the emulator %s is one line', (_, changes, line) => {
  expect(requestLines({ ...request, ...changes }, brief, plain)).toEqual([`${start} ${line}`])
})

test('with --debug a request to the emulator is shown with the headers of request and answer, also as JSON', () => {
  expect(requestLines(request, { debug: true }, plain).slice(1)).toEqual(['  > accept: */*', '  < Content-Length: 412'])
  expect(presentRequest(request, true)).toEqual({ type: 'request', ...request })
  expect(Object.keys(presentRequest(request, false))).not.toContain('headers')
})
