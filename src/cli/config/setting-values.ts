import { defaultMaxFileSizeBytes, type QuotaLimits } from '../../index.ts'
import { parseBaseUrl, parseProxy } from '../../internal.ts'
import { usageError } from '../failures/cli-error.ts'
import { parseByteSize } from '../output/format/byte-size.ts'
import { parseDuration } from '../output/format/duration.ts'
import { parseClientLimits } from './quota-limits.ts'
import { describeOrigin, type Setting, type SettingName, type Settings } from './settings.ts'

/** @returns milliseconds; infinite for `unlimited` */
export function parseMaxWait(text: string): number {
  return text.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : parseDuration(text)
}

/** @throws TypeError where it is no whole number from 0 */
export function parseRetries(text: string): number {
  if (/^\d{1,4}$/.test(text.trim())) return Number(text)
  throw new TypeError(`${JSON.stringify(text)} is not a number of retries: write 0, 1, 2, …`)
}

/** A base URL as it will be used; whether the key may go there is judged when it is about to. */
export function checkBaseUrl(text: string): string {
  return parseBaseUrl(text, { allowInsecureHttp: true })
}

/** @throws TypeError where nothing can be reached within no time */
export function parseTimeout(text: string): number {
  const ms = parseDuration(text)
  if (ms > 0) return ms
  throw new TypeError('a timeout must be longer than nothing: write 30s or 2m')
}

/** @returns bytes; infinite for `none` */
export function parseMaxFileSize(text: string): number {
  return text.trim() === 'none' ? Number.POSITIVE_INFINITY : parseByteSize(text)
}

const parsers: Readonly<Partial<Record<SettingName, (text: string) => unknown>>> = {
  base_url: checkBaseUrl,
  timeout: parseTimeout,
  max_wait: parseMaxWait,
  retries: parseRetries,
  limits: parseClientLimits,
  max_file_size: parseMaxFileSize,
  proxy: parseProxy,
}

/**
 * Judges a value before it is stored, or used.
 * @param place where it stands
 * @throws CliError of code `usage`
 */
export function checkSetting(name: SettingName, value: string, place: string = name): void {
  if (value.trim() === '') throw usageError(`${place} must not be empty`, `fh config unset ${name} removes it`)
  within(place, () => parsers[name]?.(value))
}

/**
 * Reads one setting.
 * @throws CliError of code `usage`, naming where the value stands
 */
export function readSetting<T>(settings: Settings, name: SettingName, parse: (text: string) => T): T | undefined {
  const setting = settings[name]
  if (setting === undefined) return undefined
  return within(placeOf(name, setting), () => parse(setting.value))
}

/**
 * What a person says the service allows. Windows not named have their usual limit, which a refusal puts in doubt for
 * longer than a limit that a person names.
 * @throws CliError of code `usage`
 */
export function limitsOf(settings: Settings): Partial<QuotaLimits> {
  if (settings.limits?.origin.type === 'default') return {}
  return readSetting(settings, 'limits', parseClientLimits) ?? {}
}

/** In bytes, infinite where only the service judges. @throws CliError of code `usage` */
export function maxFileSizeOf(settings: Settings): number {
  return readSetting(settings, 'max_file_size', parseMaxFileSize) ?? defaultMaxFileSizeBytes
}

/** Where a value stands, as messages name it: `--max-wait`, `FH_LIMITS`, `limits of profile work`. */
export function placeOf(name: SettingName, { origin }: Setting): string {
  return origin.type === 'profile' ? `${name} of ${describeOrigin(origin)}` : describeOrigin(origin)
}

function within<T>(place: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${place}: ${error.message}`)
    throw error
  }
}
