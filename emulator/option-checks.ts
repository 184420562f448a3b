import { isObject } from '../src/checks/json.ts'
import {
  aFunction,
  checkOptions,
  type OptionCheck,
  type OptionChecks,
  type OptionWords,
  objectWith,
} from '../src/checks/options.ts'
import { anything, aWordOf, either, kindBy, someFields } from '../src/checks/values.ts'
import { perWindow, windowNames } from '../src/protocol/rate-limits.ts'
import { clockModes } from './clock/clock.ts'
import type { EmulatorOptions } from './options.ts'
import { apiKey } from './values/value-type.ts'

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
  siteUrl: kindBy('an http or https URL', (found) => typeof found === 'string' && isHttpUrl(found)),
  dialect: anything,
  settings: kindBy('an object of settings and their values', isObject),
  seed: anything,
  randomSeed: kindBy('a number or a text', (seed) => typeof seed === 'string' || Number.isFinite(seed)),
  controlToken: token,
}

const words: OptionWords = {
  takes: 'an object of options, such as { clock: "auto" }',
  instead: {
    port: 'emulator.listen({ port }) takes it',
    host: 'emulator.listen({ host }) takes it',
    tls: 'emulator.listen({ tls }) takes it',
    baseUrl: 'emulator.listen() tells it; emulator.fetch answers at any address',
    limits: 'the limits of an account are quotas',
    key: 'the key of the first account is apiKey',
  },
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** @throws TypeError naming an unknown option and the nearest name, or saying what an option takes */
export function checkEmulatorOptions(owner: string, options: unknown): void {
  checkOptions(owner, options, checks, words)
}
