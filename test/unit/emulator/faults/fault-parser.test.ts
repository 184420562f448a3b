import { expect, test } from 'vitest'
import { callControl } from '../control/control-call.ts'
import { emulated } from '../emulated.ts'

test('faults are set, listed with their counters, replaced and deleted over HTTP', async () => {
  const emulator = await emulated()
  const action = { type: 'status', status: 503, body: { error: 'Rest' }, headers: { 'Retry-After': '7' } }
  const given = [
    { match: { method: 'POST', path: '/api/upload', nth: 2 }, times: 3, action },
    { action: { type: 'delay', ms: 5 } },
  ]
  const put = await callControl(emulator, 'PUT', '/faults', given)
  const told = [
    { id: 1, ...given[0], seen: 0, struck: 0 },
    { id: 2, match: {}, times: 1, action: { type: 'delay', ms: 5 }, seen: 0, struck: 0 },
  ]
  expect(put).toMatchObject({ status: 200, body: told })
  expect((await callControl(emulator, 'GET', '/faults')).body).toEqual(told)
  expect(emulator.control.faults.list()).toEqual(told)
  await callControl(emulator, 'PUT', '/faults', [{ times: null, action: { type: 'reset_before' } }])
  expect(emulator.control.faults.list()).toMatchObject([{ times: null }])
  expect((await callControl(emulator, 'DELETE', '/faults')).body).toEqual({ deleted: 1 })
  expect(emulator.control.faults.list()).toEqual([])
})

const delay = { type: 'delay', ms: 5 }

test.each<[unknown, RegExp]>([
  [{}, /has to be a JSON list/],
  [[{ action: delay }, {}], /Fault 2 of 2: The field action is missing/],
  [[{ action: delay, seen: 1 }], /no field "seen"; there are match, times, action/],
  [[{ action: delay, times: 0 }], /times takes a whole number from 1 up, or null for every time, but got 0/],
  [[{ action: delay, match: { path: 'api/upload' } }], /path takes a path that begins with \/ or \*/],
  [[{ action: delay, match: { path: '/api/upload?x=1' } }], /without host and query/],
  [[{ action: { type: 'dealy', ms: 5 } }], /action.type takes one of status, delay, reset_before.* but got "dealy"/],
  [[{ action: { type: 'delay' } }], /The field action.ms is missing; it takes milliseconds/],
  [[{ action: { type: 'delay', ms: -1 } }], /ms takes milliseconds from 0 to 86400000, but got -1/],
  [[{ action: { type: 'status', status: 100 } }], /status takes a whole number from 200 to 599/],
  [[{ action: { type: 'status', status: 200, headers: { 'Content-Length': '1' } } }], /headers takes .*excepted/],
  [[{ action: { type: 'status', status: 200, headers: { 'X-A': 'a\r\nb' } } }], /headers takes/],
  [[{ action: { type: 'wrong_content_length', bytes: 0 } }], /takes a whole number other than 0/],
])('the invalid faults %j are refused, and the present ones stay', async (faults, message) => {
  const emulator = await emulated()
  emulator.control.faults.set([{ action: { type: 'malformed_json' } }])
  const { status, body } = await callControl(emulator, 'PUT', '/faults', faults)
  expect([status, body.error.code]).toEqual([422, 'invalid-value'])
  expect(body.error.message).toMatch(message)
  expect(emulator.control.faults.list()).toMatchObject([{ action: { type: 'malformed_json' } }])
})
