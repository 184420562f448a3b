import fc from 'fast-check'
import { expect, test } from 'vitest'
import { creationSpan, parseCreatedAt } from '../../../../src/client/exactly-once/created-at.ts'
import { uploadObject } from '../../../helpers/media.ts'

test.each([
  ['2026-01-15T14:00:00+02', '2026-01-15T12:00:00Z'],
  ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00Z'],
  ['2026-01-15T12:00:00.999999Z', '2026-01-15T12:00:00.999Z'],
  ['2026-01-15 12:00:00 +00:00', '2026-01-15T12:00:00Z'],
])('%s is %s', (text, instant) => {
  expect(parseCreatedAt(text)).toBe(Date.parse(instant))
})

test.each(['', 'yesterday', '2026-01-15T12:00:00', '2026-01-15', '2026-13-15T12:00:00Z', '2026-01-15T25:00:00Z'])(
  '%j names no instant',
  (text) => {
    expect(parseCreatedAt(text)).toBeUndefined()
  },
)

test('an instant is read in every offset and precision', () => {
  const offsets = fc.integer({ min: -14 * 4, max: 14 * 4 }).map((quarters) => quarters * 15)
  const instants = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) })
  const digits = fc.constantFrom(0, 3, 6)
  fc.assert(
    fc.property(instants, offsets, digits, fc.boolean(), (epochMs, minutes, precision, colon) => {
      const local = new Date(epochMs + minutes * 60_000).toISOString()
      const fraction = precision === 0 ? '' : `.${local.slice(20, 23).padEnd(precision, '0')}`
      const size = Math.abs(minutes)
      const [hours, rest] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'))
      const text = `${local.slice(0, 19)}${fraction}${minutes < 0 ? '-' : '+'}${hours}${colon ? ':' : ''}${rest}`
      expect(parseCreatedAt(text)).toBe(precision === 0 ? Math.floor(epochMs / 1_000) * 1_000 : epochMs)
    }),
  )
})

test('the span of a creation time covers rounding down and rounding to the nearest second', () => {
  const upload = { ...uploadObject, created_at: '2026-01-15T12:00:00Z' }
  const at = Date.parse(upload.created_at)
  expect(creationSpan(upload)).toEqual({ from: at - 500, to: at + 1_000 })
  expect(creationSpan({ ...upload, created_at: 'now' })).toBeUndefined()
})
