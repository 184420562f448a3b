import type { Clock } from '../src/clock.ts'
import type { QuotaLimits } from '../src/protocol/rate-limits.ts'
import { adoptClock, createSystemClock, createVirtualClock, type EmulatorClock } from './clock.ts'
import { createSettings, type SettingChanges, type SettingsStore } from './settings.ts'

export interface EmulatorOptions {
  /** The key of the first account; 40 random letters and digits unless given. */
  readonly apiKey?: string
  /** Limits in units; a window that is not named keeps its default, `null` is unlimited (spec 8). */
  readonly quotas?: Partial<QuotaLimits>
  /** `system` unless given; `virtual` stands still, from 2026-01-15T12:00:00Z on, until it is moved. */
  readonly clock?: 'system' | 'virtual' | Clock
  /** 209,715,200 bytes unless given (spec 8.7). */
  readonly maxFileSizeBytes?: number
  /** Where links to the website point; the address a client used unless given. */
  readonly siteUrl?: string
  readonly settings?: SettingChanges
}

/** Options checked and put in the form the emulator works with. */
export interface ResolvedOptions {
  readonly apiKey: string | undefined
  readonly clock: EmulatorClock
  readonly settings: SettingsStore
  /** Without a slash at the end. */
  readonly siteUrl: string | undefined
}

/** @throws TypeError saying which option cannot be used and why */
export function resolveOptions(options: EmulatorOptions): ResolvedOptions {
  const { apiKey, quotas, maxFileSizeBytes, siteUrl } = options
  const settings = createSettings(options.settings)
  settings.update({
    ...(quotas === undefined ? {} : { quotas }),
    ...(maxFileSizeBytes === undefined ? {} : { max_file_size: maxFileSizeBytes }),
  })
  return {
    apiKey: apiKey === undefined ? undefined : checkedKey(apiKey),
    clock: resolveClock(options.clock),
    settings,
    siteUrl: siteUrl === undefined ? undefined : checkedSiteUrl(siteUrl),
  }
}

function resolveClock(clock: EmulatorOptions['clock'] = 'system'): EmulatorClock {
  if (clock === 'system') return createSystemClock()
  if (clock === 'virtual') return createVirtualClock()
  if (typeof clock === 'object' && clock !== null) return adoptClock(clock)
  throw new TypeError(`clock is 'system', 'virtual' or a clock, but got ${JSON.stringify(clock)}`)
}

/** A key has to survive a header and a query parameter, where blanks around it would be lost. */
function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey is one or more visible ASCII characters')
}

function checkedSiteUrl(siteUrl: string): string {
  if (URL.canParse(siteUrl) && /^https?:$/.test(new URL(siteUrl).protocol)) return siteUrl.replace(/\/+$/, '')
  throw new TypeError(`siteUrl is an http or https URL, but got ${JSON.stringify(siteUrl)}`)
}
