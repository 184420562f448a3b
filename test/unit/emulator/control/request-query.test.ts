import { expect, test } from 'vitest'
import type { Emulator, RequestPage } from '../../../../emulator/index.ts'
import { emulated, send } from '../emulated.ts'
import { callControl } from './control-call.ts'

async function logged(): Promise<Emulator> {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/stats')
  await emulator.fetch('/api/stats', { headers: { 'User-Agent': 'Curious/1' } })
  await send(emulator, 'DELETE', '/api/uploads/none')
  emulator.control.faults.add({ action: { type: 'status', status: 503 } })
  await send(emulator, 'GET', '/api/uploads')
  await emulator.control.clock.advance('1h')
  await emulator.fetch(`/api/stats?api_key=${emulator.apiKey}`)
  return emulator
}

const rows: readonly (readonly [query: string, page: RequestPage, numbers: readonly number[]])[] = [
  ['status=4xx', { status: '4xx' }, [2, 3]],
  ['status=503', { status: 503 }, [4]],
  ['account_id=none', { account_id: 'none' }, [2]],
  ['fault=any', { fault: 'any' }, [4]],
  ['fault=1', { fault: 1 }, [4]],
  ['search=CURIOUS', { search: 'curious' }, [2]],
  ['search=upload-not', { search: 'UPLOAD-NOT' }, [3]],
  ['since=2026-01-15T13:00:00Z', { since: '2026-01-15T13:00:00Z' }, [5]],
  ['finding=key_in_query', { finding: 'key_in_query' }, [5]],
  ['finding=wasted_units', { finding: 'wasted_units' }, [3]],
  ['limit=2', { limit: 2 }, [4, 5]],
  ['limit=2&before=4', { limit: 2, before: 4 }, [2, 3]],
  ['after=3', { after: 3 }, [4, 5]],
  ['limit=1&before=5&status=4xx', { limit: 1, before: 5, status: '4xx' }, [3]],
]

test('the log is filtered and read in parts, over HTTP as in typed calls', async () => {
  const emulator = await logged()
  for (const [query, page, numbers] of rows) {
    const { requests } = emulator.control.requests.list(page)
    expect([query, requests.map(({ number }) => number)]).toEqual([query, numbers])
    const { body } = await callControl(emulator, 'GET', `/requests?${query}`)
    expect(body.requests).toEqual(requests)
  }
})

test.each(['status=5x', 'fault=some', 'since=soon', 'finding=none', 'limit=0', 'search='])(
  'the log refuses ?%s and names the field',
  async (query) => {
    const { status, body } = await callControl(await emulated(), 'GET', `/requests?${query}`)
    expect(status).toBe(422)
    expect(body.error.message).toMatch(new RegExp(`field ${query.split('=')[0]} takes`))
  },
)

test('a request says why it was refused, and which fault struck it', async () => {
  const emulator = await emulated({ quotas: { burst: 1, minute: null, hour: null, day: null } })
  for (let sent = 0; sent < 2; sent += 1) await send(emulator, 'GET', '/api/stats')
  expect(emulator.control.requests.list().requests[1]).toMatchObject({
    number: 2,
    refusal: { kind: 'quota-exceeded', window: 'burst', limit: 1, used: 1, needed: 1 },
  })
  await emulator.fetch(`/api/stats?api_key=${emulator.apiKey}`)
  const [finding] = emulator.control.requests.get(3).findings
  const [reported] = emulator.control.report({ limit: 0 }).findings.filter(({ kind }) => kind === finding?.kind)
  expect(reported).toMatchObject({ kind: finding?.kind, advice: finding?.advice, count: 1, requests: [] })
})
