import { rateHeaders } from '../protocol/rate-limits.ts'

/** An answer's X-RateLimit headers (spec 8.1); a missing or unreadable one is absent. */
export interface RateReport {
  /** Units per minute. */
  readonly limit?: number
  /** Units left. */
  readonly remaining?: number
  /** When the window ends, epoch milliseconds by the service's clock. */
  readonly resetAt?: number
  /** Units the request was charged. */
  readonly cost?: number
  /** The answer's Date in epoch milliseconds, whole seconds; absent if the answer comes from a cache. */
  readonly serverNow?: number
}

const EPOCH_MS_FROM = 1e12
const EPOCH_SECONDS_FROM = 1e9
/** A reset cannot lie further ahead than the longest window. */
const LONGEST_DELTA_MS = 86_400_000

/**
 * @param headers names in lower case
 * @param now epoch milliseconds; a reset given as a duration counts from the answer's Date, or from `now` without one
 */
export function parseRateReport(headers: Readonly<Record<string, string>>, now: number): RateReport {
  const limit = wholeNumber(headers[rateHeaders.limit.toLowerCase()])
  const remaining = wholeNumber(headers[rateHeaders.remaining.toLowerCase()])
  const cost = wholeNumber(headers[rateHeaders.cost.toLowerCase()])
  const resetAt = parseReset(headers[rateHeaders.reset.toLowerCase()], headers['date'], now)
  const serverNow = headers['age'] === undefined ? Date.parse(headers['date'] ?? '') : Number.NaN
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(cost === undefined ? {} : { cost }),
    ...(Number.isNaN(serverNow) ? {} : { serverNow }),
  }
}

/** @returns epoch milliseconds by the service's clock */
function parseReset(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const reset = wholeNumber(value)
  if (reset === undefined) return undefined
  const parsedDate = Date.parse(date ?? '')
  const serverNow = Number.isNaN(parsedDate) ? now : parsedDate
  const resetAt = instantOf(reset, serverNow)
  return resetAt - serverNow > LONGEST_DELTA_MS ? undefined : resetAt
}

function instantOf(reset: number, serverNow: number): number {
  const unit = unitOf(reset)
  if (unit === 'epoch_ms') return reset
  return unit === 'epoch_seconds' ? reset * 1_000 : serverNow + reset * 1_000
}

export type ResetUnit = 'epoch_ms' | 'epoch_seconds' | 'delta_seconds'

/** How a service writes X-RateLimit-Reset; undefined without a readable one. */
export function resetUnit(headers: Readonly<Record<string, string>>): ResetUnit | undefined {
  const reset = wholeNumber(headers[rateHeaders.reset.toLowerCase()])
  return reset === undefined ? undefined : unitOf(reset)
}

/** Spec 8.2 leaves the unit open; the magnitude shows it. */
function unitOf(reset: number): ResetUnit {
  if (reset >= EPOCH_MS_FROM) return 'epoch_ms'
  return reset >= EPOCH_SECONDS_FROM ? 'epoch_seconds' : 'delta_seconds'
}

/** Undefined also for digits beyond the exact integers. */
function wholeNumber(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d+$/.test(value.trim())) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : undefined
}
