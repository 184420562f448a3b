const windows = ['burst', 'minute', 'hour', 'day'] as const

/** Units allowed per window; null is unlimited. */
export type QuotaLimits = Readonly<Record<(typeof windows)[number], number | null>>

/** The limits the service has by default (spec 8). */
const usualLimits: QuotaLimits = { burst: 20, minute: 60, hour: 1_000, day: 10_000 }

export const unlimitedQuota: QuotaLimits = { burst: null, minute: null, hour: null, day: null }

/**
 * Reads `burst=20,minute=60`; windows not named keep their usual limit, `none` lifts one.
 * @throws TypeError naming the part that cannot be read
 */
export function parseQuotaLimits(text: string): QuotaLimits {
  const given = text.split(',').map((part): [string, number | null] => {
    const [, window = '', limit = ''] = /^\s*(burst|minute|hour|day)\s*=\s*(\d+|none)\s*$/.exec(part) ?? []
    if (window === '') {
      throw new TypeError(`${JSON.stringify(part)} is not a quota: write burst=20,minute=60,hour=1000,day=10000`)
    }
    return [window, limit === 'none' ? null : Number(limit)]
  })
  return { ...usualLimits, ...Object.fromEntries(given) }
}

/** The form {@link parseQuotaLimits} reads; `none` where no window has a limit. */
export function formatQuotaLimits(limits: QuotaLimits): string {
  if (windows.every((window) => limits[window] === null)) return 'none'
  return windows.map((window) => `${window}=${limits[window] ?? 'none'}`).join(',')
}
