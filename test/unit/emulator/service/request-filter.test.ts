import { expect, test } from 'vitest'
import { type RequestFilter, requestFilter } from '../../../../emulator/service/request-filter.ts'
import type { RequestRecord } from '../../../../emulator/storage/record-store.ts'

const request: RequestRecord = {
  method: 'GET',
  endpoint: '/api/uploads/a.b',
  status: 200,
  clientIp: '127.0.0.1',
  at: 0,
  cost: 1,
  accountId: 7,
  keyIn: 'header',
}

test.each<[RequestFilter, boolean]>([
  [{}, true],
  [{ account_id: 7, method: 'get', status: 200, path: '/api/uploads/*' }, true],
  [{ account_id: 8 }, false],
  [{ method: 'POST' }, false],
  [{ status: 404 }, false],
  [{ path: '/api/uploads' }, false],
  [{ path: '*' }, true],
  [{ path: '/api/*/a.b' }, true],
  [{ path: '/api/uploads/a*c' }, false],
  [{ path: '/api/uploads/a?b' }, false],
])('%j matches: %s', (filter, matches) => {
  expect(requestFilter(filter)(request)).toBe(matches)
})
