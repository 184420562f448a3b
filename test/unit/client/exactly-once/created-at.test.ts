import { expect, test } from 'vitest'
import { creationSpan, parseCreatedAt } from '../../../../src/client/exactly-once/created-at.ts'
import { uploadObject } from '../../../helpers/media.ts'

test.each([
  ['2026-01-15T14:00:00+02', '2026-01-15T12:00:00Z'],
  ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00Z'],
  ['2026-01-15T12:00:00.999999Z', '2026-01-15T12:00:00.999Z'],
  ['2026-01-15 12:00:00 +00:00', '2026-01-15T12:00:00Z'],
  ['2026-01-15T06:30:00.5-0530', '2026-01-15T12:00:00.500Z'],
  ['2026-01-15T17:30:00.123+05:30', '2026-01-15T12:00:00.123Z'],
])('%s is %s', (text, instant) => {
  expect(parseCreatedAt(text)).toBe(Date.parse(instant))
})

test.each(['', 'yesterday', '2026-01-15T12:00:00', '2026-01-15', '2026-13-15T12:00:00Z', '2026-01-15T25:00:00Z'])(
  '%j names no instant',
  (text) => {
    expect(parseCreatedAt(text)).toBeUndefined()
  },
)

test('the span of a creation time covers rounding down and rounding to the nearest second', () => {
  const upload = { ...uploadObject, created_at: '2026-01-15T12:00:00Z' }
  const at = Date.parse(upload.created_at)
  expect(creationSpan(upload)).toEqual({ from: at - 500, to: at + 1_000 })
  expect(creationSpan({ ...upload, created_at: 'now' })).toBeUndefined()
})
