import type { Upload } from '../../protocol/resources.ts'

/** A span in epoch milliseconds, both ends included. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const forms = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(?:Z|([+-]\d\d)(?::?(\d\d))?)$/i

/**
 * Reads a `created_at` (spec 2.1): with `+02:00`, `+0200`, `+02` or `Z`, with or without a fraction.
 *
 * @returns epoch milliseconds; undefined for a text without an offset, which names no instant
 */
export function parseCreatedAt(text: string): number | undefined {
  const parts = forms.exec(text.trim())
  if (parts === null) return undefined
  const [, day, time, fraction = '0', hours = '+00', minutes = '00'] = parts
  const epochMs = Date.parse(`${day}T${time}Z`)
  if (Number.isNaN(epochMs)) return undefined
  const offsetMinutes = Number(hours) * 60 + Number(`${hours[0]}${minutes}`)
  return epochMs + Math.floor(Number(`0.${fraction}`) * 1_000) - offsetMinutes * 60_000
}

/** A database may round to the nearest second; most frameworks round down, also where they print fractions. */
const ROUNDED_UP_MS = 500
const ROUNDED_DOWN_MS = 1_000

/** When an upload can have been made, by the service's clock; undefined if its `created_at` cannot be read. */
export function creationSpan({ created_at }: Upload): TimeSpan | undefined {
  const createdAt = parseCreatedAt(created_at)
  if (createdAt === undefined) return undefined
  return { from: createdAt - ROUNDED_UP_MS, to: createdAt + ROUNDED_DOWN_MS }
}
