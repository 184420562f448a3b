import type { Clock } from '../src/clock.ts'
import { isKey } from '../src/protocol/endpoints.ts'
import type { QuotaLimits } from '../src/protocol/rate-limits.ts'
import { adoptClock, type EmulatorClock, virtualStartMs } from './clock.ts'
import { emptySeed, type LoadedSeed, loadSeed, seedError } from './seed/load-seed.ts'
import type { Seed } from './seed/seed.ts'
import { randomText } from './service/random-text.ts'
import { type Dialect, dialectSettings } from './settings/dialects.ts'
import { createSettings, type SettingChanges, type SettingsStore } from './settings/settings.ts'
import type { ClockStart } from './state/state.ts'
import { createSwitchableClock } from './switchable-clock.ts'

export interface EmulatorOptions {
  /** The key of the first account; 40 random letters and digits unless given. */
  readonly apiKey?: string
  /** Limits in units; a window that is not named keeps its default, `null` is unlimited (spec 8). */
  readonly quotas?: Partial<QuotaLimits>
  /** `system` unless given; `virtual` stands still, from 2026-01-15T12:00:00Z on, until it is moved. */
  readonly clock?: 'system' | 'virtual' | Clock
  /** 209,715,200 bytes unless given (spec 8.7). */
  readonly maxFileSizeBytes?: number
  /**
   * A folder in which everything is kept and found again by the next emulator; it is made where there is none. Records
   * live in memory and bytes in a temporary folder unless given.
   */
  readonly data?: string
  /** Where links to the website point; the address a client used unless given. */
  readonly siteUrl?: string
  /** `spec` unless given: which settings to begin with. */
  readonly dialect?: Dialect
  /** Settings that differ from those of the dialect. */
  readonly settings?: SettingChanges
  /**
   * What is there at the start, and after a reset, or the path of a file that has it as JSON; an empty first account
   * unless given.
   */
  readonly seed?: Seed | string
  /** Opens the control API to other machines; 40 random letters and digits unless given. */
  readonly controlToken?: string
}

/** Options checked and put in the form the emulator works with. */
export interface ResolvedOptions {
  readonly apiKey: string | undefined
  readonly clock: EmulatorClock
  /** Undefined for a clock that was given. */
  readonly clockStart: ClockStart | undefined
  readonly settings: SettingsStore
  /** The names of the settings that were given, one by one or with a dialect. */
  readonly asked: ReadonlySet<string>
  readonly data: string | undefined
  /** Without a slash at the end. */
  readonly siteUrl: string | undefined
  readonly source: LoadedSeed
  readonly controlToken: string
}

/** @throws TypeError saying which option cannot be used and why; SeedError where that is the seed */
export async function resolveOptions(options: EmulatorOptions): Promise<ResolvedOptions> {
  const { apiKey, quotas, maxFileSizeBytes, siteUrl, data, seed, controlToken } = options
  const source = seed === undefined ? emptySeed : await loadSeed(seed)
  const settings = createSettings(dialectSettings(options.dialect))
  takeSeedSettings(settings, source)
  const asked: SettingChanges = {
    ...options.settings,
    ...(quotas === undefined ? {} : { quotas }),
    ...(maxFileSizeBytes === undefined ? {} : { max_file_size: maxFileSizeBytes }),
  }
  settings.update(asked)
  return {
    apiKey: apiKey === undefined ? undefined : visibleText('apiKey', apiKey),
    ...resolveClock(options.clock),
    settings,
    // A dialect that is named decides every setting, and not only those it changes.
    asked: new Set(Object.keys(options.dialect === undefined ? asked : settings.current)),
    data: data === undefined ? undefined : checkedFolder(data),
    siteUrl: siteUrl === undefined ? undefined : checkedSiteUrl(siteUrl),
    source,
    controlToken: controlToken === undefined ? randomText(40) : visibleText('controlToken', controlToken),
  }
}

function takeSeedSettings(settings: SettingsStore, source: LoadedSeed): void {
  try {
    settings.update(source.seed.settings ?? {})
  } catch (error) {
    throw seedError(source, '/settings', `cannot be: ${error instanceof Error ? error.message : error}`, error)
  }
}

function resolveClock(clock: EmulatorOptions['clock'] = 'system'): Pick<ResolvedOptions, 'clock' | 'clockStart'> {
  if (clock === 'system') return { clock: createSwitchableClock('system'), clockStart: { mode: 'system' } }
  if (clock === 'virtual') {
    return { clock: createSwitchableClock('virtual'), clockStart: { mode: 'virtual', nowMs: virtualStartMs } }
  }
  if (typeof clock === 'object' && clock !== null) return { clock: adoptClock(clock), clockStart: undefined }
  throw new TypeError(`clock is 'system', 'virtual' or a clock, but got ${JSON.stringify(clock)}`)
}

/** What travels in headers and query parameters has to survive them, where blanks around it would be lost. */
function visibleText(name: string, text: string): string {
  if (isKey(text)) return text
  throw new TypeError(`${name} is one or more visible ASCII characters`)
}

function checkedFolder(folder: string): string {
  if (typeof folder === 'string' && folder.trim() !== '') return folder
  throw new TypeError(`data is the path of a folder, but got ${JSON.stringify(folder)}`)
}

function checkedSiteUrl(siteUrl: string): string {
  if (URL.canParse(siteUrl) && /^https?:$/.test(new URL(siteUrl).protocol)) return siteUrl.replace(/(?<!\/)\/+$/, '')
  throw new TypeError(`siteUrl is an http or https URL, but got ${JSON.stringify(siteUrl)}`)
}
