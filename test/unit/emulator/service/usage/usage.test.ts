import { expect, test } from 'vitest'
import { sumOf, usageOf } from '../../../../../emulator/service/usage.ts'
import { request } from '../../storage/records.ts'

const now = Date.parse('2026-01-15T12:34:56Z')
const hourMs = 3_600_000
const question = { range: '24h', now, timezone: 'Europe/Bucharest' } as const

test('requests count in the bar of their time by how they ended', () => {
  const statuses = [200, 201, 304, 404, 499, 429, 429, 500, 503]
  const requests = statuses.map((status, index) => request({ status, at: now - (index % 2) * hourMs }))
  const usage = usageOf(requests, question)
  expect(usage.totals).toEqual({ ok: 3, clientError: 2, limited: 2, serverError: 2 })
  expect(usage.bars.at(-1)?.counts).toEqual({ ok: 2, clientError: 1, limited: 1, serverError: 1 })
  expect(usage.bars.at(-2)?.counts).toEqual({ ok: 1, clientError: 1, limited: 1, serverError: 1 })
  expect(usage.bars.slice(0, -2).every(({ counts }) => sumOf(counts) === 0)).toBe(true)
})

test('the first instant of the first bar counts, the one before it and the future do not', () => {
  const first = Date.parse('2026-01-14T13:00:00Z')
  const usage = usageOf(
    [first - 1, first, now, now + 1].map((at) => request({ at })),
    question,
  )
  expect(sumOf(usage.totals)).toBe(2)
  expect(usage.bars[0]?.counts.ok).toBe(1)
})

test('the table has a row for each method, endpoint and status, the most frequent first', () => {
  const made = [
    ['GET', '/api/uploads/AbC-9_', 200],
    ['GET', '/api/uploads/other//', 200],
    ['GET', '/api/uploads/none', 404],
    ['DELETE', '/api/uploads/other', 200],
    ['GET', '/api/uploads/', 200],
    ['POST', '/api/upload', 429],
    ['POST', '/api/upload', 429],
    ['POST', '/api/upload', 429],
    ['GET', '/api/<script>', 404],
    ['GET', '/api/uploads/a/b', 404],
  ] as const
  const requests = made.map(([method, endpoint, status]) => request({ method, endpoint, status, at: now }))
  expect(usageOf(requests, question).rows).toEqual([
    { method: 'POST', endpoint: '/api/upload', status: 429, count: 3 },
    { method: 'GET', endpoint: '/api/uploads/{slug}', status: 200, count: 2 },
    { method: 'GET', endpoint: null, status: 404, count: 2 },
    { method: 'GET', endpoint: '/api/uploads', status: 200, count: 1 },
    { method: 'DELETE', endpoint: '/api/uploads/{slug}', status: 200, count: 1 },
    { method: 'GET', endpoint: '/api/uploads/{slug}', status: 404, count: 1 },
  ])
})

test('usage is incomplete only if dropped requests may belong into its span', () => {
  const early = request({ at: now - 25 * hourMs })
  const late = request({ at: now })
  for (const [requests, dropped, isIncomplete] of [
    [[late], 0, false],
    [[late], 3, true],
    [[early, late], 3, false],
    [[], 3, true],
  ] as const) {
    expect(usageOf(requests, { ...question, dropped })).toMatchObject({ isIncomplete })
  }
})
