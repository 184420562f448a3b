import { invalidValue } from '../src/checks/coded-error.ts'
import { observer } from '../src/checks/observer.ts'
import type { Clock } from '../src/clock.ts'
import { isKey } from '../src/protocol/endpoints.ts'
import { adoptClock, type ClockMode, type EmulatorClock, isClockMode } from './clock/clock.ts'
import { type Standstill, tellStandstill } from './clock/standing.ts'
import { createSwitchableClock } from './clock/switchable-clock.ts'
import { virtualStartMs } from './clock/virtual-clock.ts'
import { emptySeed, type LoadedSeed, loadSeed } from './seed/load-seed.ts'
import type { Seed } from './seed/seed.ts'
import { createInventions, type RandomSeed } from './service/inventions.ts'
import { type Dialect, dialectSettings } from './settings/dialects.ts'
import type { GivenQuotas } from './settings/quota-limits.ts'
import { createSettings, type SettingChanges, type SettingsStore } from './settings/settings.ts'
import type { ClockStart } from './state/state.ts'

export interface EmulatorOptions {
  /** The key of the first account. Default: 40 random letters and digits. */
  readonly apiKey?: string | undefined
  /** Limits in units; a window that is not named keeps its default, `null` is unlimited (spec 8). `none`: no limit at all. */
  readonly quotas?: GivenQuotas | undefined
  /**
   * Default: `system`. `virtual` stands at 2026-01-15T12:00:00Z until it is moved. `auto` is a virtual clock that also
   * moves by itself: while a client sleeps on it or an answer is delayed, and no request is being handled, to the earliest
   * instant that one of them waits for.
   */
  readonly clock?: ClockMode | Clock | undefined
  /**
   * Called once if a client waits for a clock that stands: it has slept on it or sent nothing for a second of real time, or
   * was refused twice at the same instant. Default: prints one line to stderr.
   */
  readonly onStandstill?: ((standstill: Standstill) => void) | undefined
  /** Default: 209,715,200 bytes (spec 8.7). */
  readonly maxFileSizeBytes?: number | undefined
  /**
   * A folder that keeps everything for the next emulator; created if it does not exist. Default: records in memory,
   * files in memory or a temporary folder.
   */
  readonly data?: string | undefined
  /** The base of links to the website. Default: the address that the client used. */
  readonly siteUrl?: string | undefined
  /** The initial settings. Default: `spec`. */
  readonly dialect?: Dialect | undefined
  /** Settings that override those of the dialect. */
  readonly settings?: SettingChanges | undefined
  /** The initial state, restored by a reset, or the path of a JSON file with it. Default: an empty first account. */
  readonly seed?: Seed | string | undefined
  /**
   * Fixes everything that the emulator makes up: keys, emails, passwords and slugs. Under a virtual clock, equal emulators
   * that get equal requests then give equal answers, byte for byte. A person who knows the seed can work out the keys.
   * Default: everything is cryptographically random.
   */
  readonly randomSeed?: RandomSeed | undefined
  /**
   * Gives other machines access to the control API. Default: 40 random letters and digits; `randomSeed` does not fix them.
   */
  readonly controlToken?: string | undefined
}

/** Checked options in the form the emulator uses. */
export interface ResolvedOptions {
  readonly apiKey: string | undefined
  readonly clock: EmulatorClock
  /** Undefined for a clock of the caller's. */
  readonly clockStart: ClockStart | undefined
  readonly settings: SettingsStore
  /** The names of the settings requested, one by one or by a dialect. */
  readonly asked: ReadonlySet<string>
  readonly data: string | undefined
  /** Without a slash at the end. */
  readonly siteUrl: string | undefined
  readonly source: LoadedSeed
  readonly randomSeed: RandomSeed | undefined
  readonly controlToken: string
  readonly onStandstill: (standstill: Standstill) => void
}

/** @throws TypeError saying which option cannot be used and why; SeedError if it is the seed */
export async function resolveOptions(options: EmulatorOptions): Promise<ResolvedOptions> {
  const { apiKey, quotas, maxFileSizeBytes, siteUrl, data, seed, randomSeed, controlToken } = options
  const onStandstill = once(observer('onStandstill of createEmulator', options.onStandstill ?? tellStandstill))
  const source = seed === undefined ? emptySeed : await loadSeed(seed)
  const settings = createSettings(dialectSettings(options.dialect))
  settings.update(source.seed.settings ?? {})
  const asked: SettingChanges = {
    ...options.settings,
    ...(quotas === undefined ? {} : { quotas }),
    ...(maxFileSizeBytes === undefined ? {} : { max_file_size: maxFileSizeBytes }),
  }
  settings.update(asked)
  return {
    apiKey: apiKey === undefined ? undefined : visibleText('apiKey', apiKey),
    ...resolveClock(options.clock, onStandstill),
    onStandstill,
    settings,
    // A dialect decides every setting, not only those it changes.
    asked: new Set(Object.keys(options.dialect === undefined ? asked : settings.current)),
    data: data === undefined ? undefined : checkedFolder(data),
    siteUrl: siteUrl === undefined ? undefined : checkedSiteUrl(siteUrl),
    source,
    randomSeed,
    // As long and as random as a key; other machines may not guess it.
    controlToken: controlToken === undefined ? createInventions().apiKey() : visibleText('controlToken', controlToken),
  }
}

function resolveClock(
  clock: EmulatorOptions['clock'] = 'system',
  onStandstill: ResolvedOptions['onStandstill'],
): Pick<ResolvedOptions, 'clock' | 'clockStart'> {
  if (isClockMode(clock)) {
    const clockStart = clock === 'system' ? { mode: clock } : { mode: clock, nowMs: virtualStartMs }
    return { clock: createSwitchableClock(clock, { onStandstill }), clockStart }
  }
  if (typeof clock === 'object' && clock !== null) return { clock: adoptClock(clock), clockStart: undefined }
  throw invalidValue(`clock must be 'system', 'virtual', 'auto' or a clock, but got ${JSON.stringify(clock)}`)
}

function once<Value>(call: (value: Value) => void): (value: Value) => void {
  let isOver = false
  return (value) => {
    if (isOver) return
    isOver = true
    call(value)
  }
}

/** Headers and query parameters would lose surrounding blanks. */
function visibleText(name: string, text: string): string {
  if (isKey(text)) return text
  throw invalidValue(`${name} must be one or more visible ASCII characters`)
}

function checkedFolder(folder: string): string {
  if (typeof folder === 'string' && folder.trim() !== '') return folder
  throw invalidValue(`data must be the path of a folder, but got ${JSON.stringify(folder)}`)
}

function checkedSiteUrl(siteUrl: string): string {
  if (URL.canParse(siteUrl) && /^https?:$/.test(new URL(siteUrl).protocol)) return siteUrl.replace(/(?<!\/)\/+$/, '')
  throw invalidValue(`siteUrl must be an http or https URL, but got ${JSON.stringify(siteUrl)}`)
}
