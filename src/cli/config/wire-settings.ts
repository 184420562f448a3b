import { parseProxy } from '../../internal.ts'
import { readCa } from './ca-file.ts'
import { parseMaxWait, parseRetries, parseTimeout, readSetting } from './setting-values.ts'
import type { Settings } from './settings.ts'

/** How requests travel, to the service and to its site alike. */
export interface WireSettings {
  readonly idleTimeoutMs: number
  readonly retries: number
  readonly maxWaitMs: number
  /** Where it is undefined, the environment's proxy variables count. */
  readonly proxy: string | undefined
  /** PEM. */
  readonly ca: string | undefined
}

/** @throws CliError of code `usage` where one of them cannot be used, naming where it stands */
export async function readWireSettings(settings: Settings): Promise<WireSettings> {
  return {
    idleTimeoutMs: readSetting(settings, 'timeout', parseTimeout) ?? 120_000,
    retries: readSetting(settings, 'retries', parseRetries) ?? 5,
    maxWaitMs: readSetting(settings, 'max_wait', parseMaxWait) ?? Number.POSITIVE_INFINITY,
    proxy: readSetting(settings, 'proxy', parseProxy),
    ca: await readCa(settings),
  }
}
