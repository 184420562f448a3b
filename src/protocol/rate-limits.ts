/** The four quota windows, in the order the service checks them (spec 8). */
export const windowNames = ['burst', 'minute', 'hour', 'day'] as const

export type WindowName = (typeof windowNames)[number]

/** A value for each window. */
export function perWindow<Value>(of: (name: WindowName) => Value): Readonly<Record<WindowName, Value>> {
  return { burst: of('burst'), minute: of('minute'), hour: of('hour'), day: of('day') }
}

/** Units per window; `null` means unlimited. */
export type QuotaLimits = Readonly<Record<WindowName, number | null>>

/** The default limits (spec 8). */
export const defaultLimits: Readonly<Record<WindowName, number>> = {
  burst: 20,
  minute: 60,
  hour: 1_000,
  day: 10_000,
}

/** No window has a limit. */
export const unlimited: QuotaLimits = perWindow(() => null)

/**
 * The kinds of window that a service may keep; spec 8 does not say which. `fixed`: begins with the first charge.
 * `aligned`: begins with the clock's minutes, hours and days. `sliding`: counts each charge for exactly one length.
 * `sliding_counter`: the clock's present period, and a share of the previous one. `token_bucket`: the whole limit at
 * once, returned evenly over one length.
 */
export const windowKinds = ['fixed', 'aligned', 'sliding', 'sliding_counter', 'token_bucket'] as const

export type WindowKind = (typeof windowKinds)[number]

/** How long each window is, in milliseconds. */
export const windowLengthMs: Readonly<Record<WindowName, number>> = {
  burst: 10_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** Header names in the spec's spelling (spec 8.1, 8.4). */
export const rateHeaders = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
  cost: 'X-RateLimit-Cost',
  retryAfter: 'Retry-After',
} as const

/** The `error` text of a refusal by each window (spec 8.5). */
export const refusalMessages: Readonly<Record<WindowName, string>> = {
  burst: 'Burst limit exceeded. Slow down.',
  minute: 'Rate limit exceeded (per minute).',
  hour: 'Rate limit exceeded (per hour).',
  day: 'Rate limit exceeded (per day).',
}

const refusalPatterns: readonly (readonly [RegExp, WindowName])[] = [
  [/burst/i, 'burst'],
  [/per minute/i, 'minute'],
  [/per hour/i, 'hour'],
  [/per day/i, 'day'],
]

/** The window that the text of a 429 names; undefined if it names none. */
export function refusingWindow(message: string): WindowName | undefined {
  return refusalPatterns.find(([pattern]) => pattern.test(message))?.[1]
}
