import { defaultRetries } from '../../client/retry.ts'
import { parseProxy } from '../../client/transports/proxy.ts'
import { defaultIdleTimeoutMs } from '../../client/transports/transport.ts'
import { formatQuotaLimits, parseClientLimits } from '../../environment/quota-limits.ts'
import { defaultMaxFileSizeBytes } from '../../protocol/media-types.ts'
import { defaultLimits } from '../../protocol/rate-limits.ts'
import { parseRedisUrl, redactRedisUrl } from '../../store/redis/url.ts'
import { formatByteSize, parseByteSize, parseDuration } from '../format/format.ts'
import { readServiceAddress } from './service-address.ts'
import type { SettingName } from './setting-definitions.ts'

interface SettingValues {
  /** @param onTerminal whether a person sees the messages of the run */
  readonly default?: (onTerminal: boolean) => string
  readonly redact?: (text: string) => string
  /** @throws TypeError where the text is not a value of this setting */
  parse(text: string): unknown
}

/** How the value of each setting is written, and what it is where the setting is not set. */
export const settingValues = {
  base_url: { parse: readServiceAddress },
  api_key: { parse: asText },
  api_key_file: { parse: asText },
  key_command: { parse: asText },
  timeout: { default: () => `${defaultIdleTimeoutMs / 1_000}s`, parse: parseTimeout },
  max_wait: {
    default: (onTerminal) => (onTerminal ? 'unlimited' : '1h'),
    /** In milliseconds. */
    parse: (text) => (text.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : parseDuration(text)),
  },
  retries: { default: () => String(defaultRetries), parse: parseRetries },
  limits: { default: () => formatQuotaLimits(defaultLimits), parse: parseClientLimits },
  max_file_size: {
    default: () => formatByteSize(defaultMaxFileSizeBytes).replace(' ', ''),
    /** In bytes. */
    parse: (text) => (text.trim() === 'none' ? Number.POSITIVE_INFINITY : parseByteSize(text)),
  },
  ledger: {
    redact: redactRedisUrl,
    parse(text) {
      parseRedisUrl(text)
      return text.trim()
    },
  },
  proxy: { parse: parseProxy },
  ca_cert: { parse: asText },
} as const satisfies Readonly<Record<SettingName, SettingValues>>

type Values = typeof settingValues

/** What a setting's value is read as; undefined where it may be unset. */
export type SettingValue<Name extends SettingName> =
  | ReturnType<Values[Name]['parse']>
  | (Values[Name] extends { readonly default: unknown } ? never : undefined)

export function valuesOf(name: SettingName): SettingValues {
  return settingValues[name]
}

function asText(text: string): string {
  return text
}

/** @returns milliseconds */
export function parseTimeout(text: string): number {
  const ms = parseDuration(text)
  if (ms > 0) return ms
  throw new TypeError('a timeout must be longer than nothing: write 30s or 2m')
}

function parseRetries(text: string): number {
  if (/^\d{1,4}$/.test(text.trim())) return Number(text)
  throw new TypeError(`${JSON.stringify(text)} is not a number of retries: write 0, 1, 2, …`)
}
