/** The forms in which services write the same wait into Retry-After. */
export const retryAfterForms = [
  'seconds',
  'zero',
  'negative',
  'empty',
  'fraction',
  'date',
  'past-date',
  'hour',
  'absurd',
  'epoch-seconds',
  'missing',
] as const

export type RetryAfterForm = (typeof retryAfterForms)[number]

/** The two instants are epoch milliseconds by the service's clock. @returns undefined where there is no header */
export function retryAfterHeader(form: RetryAfterForm, now: number, retryAt: number): string | undefined {
  const seconds = Math.ceil((retryAt - now) / 1_000)
  switch (form) {
    case 'seconds':
      return String(seconds)
    case 'zero':
      return '0'
    case 'negative':
      return '-5'
    case 'empty':
      return ''
    case 'fraction':
      return (Math.ceil((retryAt - now) / 100) / 10).toFixed(1)
    case 'date':
      return httpDate(now + seconds * 1_000)
    case 'past-date':
      return httpDate(now - 30_000)
    case 'hour':
      return '3600'
    case 'absurd':
      return '999999999'
    case 'epoch-seconds':
      return String(Math.ceil(retryAt / 1_000))
    case 'missing':
      return undefined
  }
}

/** What X-RateLimit-Reset may mean (spec 8.2). */
export const resetForms = ['epoch-seconds', 'epoch-ms', 'delta'] as const

export type ResetForm = (typeof resetForms)[number]

export function resetHeader(form: ResetForm, now: number, resetAt: number): string {
  switch (form) {
    case 'epoch-seconds':
      return String(Math.ceil(resetAt / 1_000))
    case 'epoch-ms':
      return String(Math.ceil(resetAt))
    case 'delta':
      return String(Math.ceil((resetAt - now) / 1_000))
  }
}

export function httpDate(instant: number): string {
  return new Date(instant).toUTCString()
}
