import { readCa } from './ca-file.ts'
import { readSetting, type Settings } from './settings.ts'

/** How requests to the service and downloads from its site are sent. */
export interface WireSettings {
  readonly idleTimeoutMs: number
  readonly retries: number
  readonly maxWaitMs: number
  /** Undefined: the proxy variables of the environment count. */
  readonly proxy: string | undefined
  /** PEM. */
  readonly ca: string | undefined
}

/** @throws CliError of code `usage`, naming the place of a value that cannot be used */
export async function readWireSettings(settings: Settings): Promise<WireSettings> {
  return {
    idleTimeoutMs: readSetting(settings, 'timeout'),
    retries: readSetting(settings, 'retries'),
    maxWaitMs: readSetting(settings, 'max_wait'),
    proxy: readSetting(settings, 'proxy'),
    ca: await readCa(settings),
  }
}
