import { type QuotaLimits, windowNames } from '../src/protocol/rate-limits.ts'

/** A kind of value a setting takes: how it is described to people and how it is read. */
export interface SettingKind<Value> {
  /** What is accepted, to be read after "takes". */
  readonly accepts: string
  /**
   * Reads a value as it arrives from options or JSON.
   * @param current the value it would replace, for kinds that merge
   * @returns undefined where the value is not of this kind
   */
  read(value: unknown, current: Value): Value | undefined
}

export const trueOrFalse: SettingKind<boolean> = {
  accepts: 'true or false',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** Bytes as the service counts them: 1 KB is 1,024 bytes, 1 MB 1,024 of those. */
export const byteSize: SettingKind<number> = {
  accepts: 'a number of bytes above zero, or a size such as "200MB"',
  read(value) {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)i?b?$/i.exec(String(value).trim()) ?? []
    const bytes = Math.round(Number(number) * 1_024 ** ' kmg'.indexOf(unit.toLowerCase() || ' '))
    return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
  },
}

export const timeZoneName: SettingKind<string> = {
  accepts: 'an IANA time zone such as "Europe/Bucharest"',
  read(value) {
    if (typeof value !== 'string') return undefined
    try {
      return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone && value
    } catch {
      return undefined
    }
  },
}

/** Limits in units; windows that are not named keep what they had, `null` is an unlimited window. */
export const quotaLimits: SettingKind<QuotaLimits> = {
  accepts: `whole units or null for any of ${windowNames.join(', ')}`,
  read: (value, current) => {
    const limits = readQuotaLimits(value)
    return limits === undefined ? undefined : { ...current, ...limits }
  },
}

/** Reads limits for some of the windows, or undefined where anything in them is not a limit. */
export function readQuotaLimits(value: unknown): Partial<QuotaLimits> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value).filter(([, limit]) => limit !== undefined)
  const valid = entries.every(([name, limit]) => windowNames.some((known) => known === name) && isLimit(limit))
  return valid ? Object.fromEntries(entries) : undefined
}

function isLimit(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0)
}
