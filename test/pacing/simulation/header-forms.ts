const seconds = (ms: number) => Math.ceil(ms / 1_000)

/** The forms in which services write the same wait into Retry-After; undefined where there is no header. */
const retryAfter = {
  seconds: (now: number, retryAt: number) => String(seconds(retryAt - now)),
  zero: () => '0',
  negative: () => '-5',
  empty: () => '',
  fraction: (now: number, retryAt: number) => (Math.ceil((retryAt - now) / 100) / 10).toFixed(1),
  date: (now: number, retryAt: number) => httpDate(now + seconds(retryAt - now) * 1_000),
  'past-date': (now: number) => httpDate(now - 30_000),
  hour: () => '3600',
  absurd: () => '999999999',
  'epoch-seconds': (_: number, retryAt: number) => String(seconds(retryAt)),
  missing: () => undefined,
}

export type RetryAfterForm = keyof typeof retryAfter

export const retryAfterForms = Object.keys(retryAfter) as RetryAfterForm[]

/** The two instants are epoch milliseconds by the service's clock. */
export function retryAfterHeader(form: RetryAfterForm, now: number, retryAt: number): string | undefined {
  return retryAfter[form](now, retryAt)
}

/** What X-RateLimit-Reset may mean (spec 8.2). */
const reset = {
  'epoch-seconds': (_: number, resetAt: number) => seconds(resetAt),
  'epoch-ms': (_: number, resetAt: number) => Math.ceil(resetAt),
  delta: (now: number, resetAt: number) => seconds(resetAt - now),
}

export type ResetForm = keyof typeof reset

export const resetForms = Object.keys(reset) as ResetForm[]

export function resetHeader(form: ResetForm, now: number, resetAt: number): string {
  return String(reset[form](now, resetAt))
}

export function httpDate(instant: number): string {
  return new Date(instant).toUTCString()
}
