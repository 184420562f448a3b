import { isObject } from '../src/checks/json.ts'
import { aFunction, checkOptions, type OptionCheck, type OptionChecks, objectWith } from '../src/checks/options.ts'
import { anything, aWordOf, either, kindBy, someFields } from '../src/checks/values.ts'
import type { Clock } from '../src/clock.ts'
import { perWindow, windowNames } from '../src/protocol/rate-limits.ts'
import { observer } from '../src/system/observer.ts'
import {
  adoptClock,
  type ClockMode,
  type ClockState,
  clockModes,
  type EmulatorClock,
  isClockMode,
  SwitchableClock,
  virtualStartMs,
} from './clock/clock.ts'
import { reportStandstill, type Standstill } from './clock/standstill.ts'
import { emptySeed, loadSeed, type Seed } from './seed/seed.ts'
import { createInventions, type RandomSeed } from './service/inventions.ts'
import { type Dialect, dialectSettings } from './settings/dialects.ts'
import type { GivenQuotas } from './settings/quota-limits.ts'
import { createSettings, type SettingChanges } from './settings/settings.ts'
import { apiKey } from './values/value-type.ts'

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
   * A folder that keeps everything but settings and faults for the next emulator; created if it does not exist. Default:
   * records in memory, files in memory or a temporary folder.
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

/** @param others words that an option takes in place of limits, besides `none` */
export function quotasOr(...others: readonly string[]): OptionCheck {
  const words = ['none', ...others]
  const accepts = `${words.map((word) => `'${word}'`).join(', ')}, or an object with units or null for any of ${windowNames.join(', ')}`
  return either(accepts, aWordOf(words), someFields(perWindow(() => anything)))
}

const token = { ...apiKey, isSecret: true }

/** What `anything` stands for is checked where it is used, with words of its own. */
const checks: OptionChecks<EmulatorOptions> = {
  apiKey: token,
  quotas: quotasOr(),
  clock: either("'system', 'virtual', 'auto' or a clock", aWordOf(clockModes), objectWith(['now', 'sleep'], '')),
  onStandstill: aFunction,
  maxFileSizeBytes: anything,
  data: kindBy('the path of a folder', (found) => typeof found === 'string' && found.trim() !== ''),
  siteUrl: kindBy('an http or https URL', isHttpUrl),
  dialect: anything,
  settings: kindBy('an object of settings and their values', isObject),
  seed: anything,
  randomSeed: kindBy('a number or a text', (seed) => typeof seed === 'string' || Number.isFinite(seed)),
  controlToken: token,
}

function isHttpUrl(found: unknown): boolean {
  return typeof found === 'string' && /^https?:$/.test(URL.parse(found)?.protocol ?? '')
}

/** @throws TypeError naming an unknown option and those that there are, or saying what an option takes */
export function checkEmulatorOptions(owner: string, options: unknown): void {
  checkOptions(owner, options, checks, { takes: 'an object of options, such as { clock: "auto" }' })
}

/**
 * Puts checked options in the form that the emulator uses.
 * @throws TypeError saying which setting or dialect cannot be used and why; SeedError if it is the seed
 */
export async function resolveOptions(options: EmulatorOptions) {
  const { apiKey, quotas, maxFileSizeBytes, siteUrl, data, seed, randomSeed, controlToken } = options
  const onStandstill = once(observer('onStandstill of createEmulator', options.onStandstill ?? reportStandstill))
  const source = seed === undefined ? emptySeed : await loadSeed(seed)
  const settings = createSettings(dialectSettings(options.dialect))
  settings.update(source.seed.settings ?? {})
  settings.update({
    ...options.settings,
    ...(quotas === undefined ? {} : { quotas }),
    ...(maxFileSizeBytes === undefined ? {} : { max_file_size: maxFileSizeBytes }),
  })
  return {
    apiKey,
    ...resolveClock(options.clock, onStandstill),
    onStandstill,
    settings,
    data,
    siteUrl: siteUrl?.replace(/(?<!\/)\/+$/, ''),
    source,
    randomSeed,
    // As long and as random as a key; other machines may not guess it.
    controlToken: controlToken ?? createInventions().apiKey(),
  }
}

export type ResolvedOptions = Awaited<ReturnType<typeof resolveOptions>>

/** The start of a clock is undefined for one of the caller's. */
function resolveClock(
  clock: EmulatorOptions['clock'] = 'system',
  onStandstill: (standstill: Standstill) => void,
): { readonly clock: EmulatorClock; readonly clockStart: ClockState | undefined } {
  if (!isClockMode(clock)) return { clock: adoptClock(clock), clockStart: undefined }
  const clockStart = clock === 'system' ? { mode: clock } : { mode: clock, now: virtualStartMs }
  return { clock: new SwitchableClock(clock, { onStandstill }), clockStart }
}

function once<Value>(call: (value: Value) => void): (value: Value) => void {
  let isOver = false
  return (value) => {
    if (isOver) return
    isOver = true
    call(value)
  }
}
