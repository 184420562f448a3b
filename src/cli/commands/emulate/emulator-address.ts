import type { Environment } from '../../config/settings.ts'
import { usageError } from '../../failures/cli-error.ts'
import { usualPort } from './emulate-options.ts'

/** The arguments that choose a running emulator. */
export interface EmulatorChoice {
  /** Its address, or that of its control API. */
  readonly url?: string | undefined
  /** A port on this machine. */
  readonly port?: number | undefined
}

/**
 * The address of a running emulator: the given URL, else the port, else FH_EMULATOR_URL, else the default port.
 * @returns scheme, host and port
 * @throws CliError of code `usage`
 */
export function emulatorAddress({ url, port }: EmulatorChoice, env: Environment): string {
  if (url !== undefined && port !== undefined) throw usageError('Give an address or --port, not both')
  if (url !== undefined) return originOf(url, url)
  if (port !== undefined) return localhost(port)
  const fromEnvironment = env['FH_EMULATOR_URL']
  return fromEnvironment ? originOf(fromEnvironment, `FH_EMULATOR_URL: ${fromEnvironment}`) : localhost(usualPort)
}

function localhost(port: number): string {
  return `http://127.0.0.1:${port}`
}

function originOf(text: string, shown: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isEmulators = url !== undefined && /^https?:$/.test(url.protocol) && /^\/(_emulator\/?)?$/.test(url.pathname)
  if (isEmulators) return url.origin
  throw usageError(`${shown} is not the address of an emulator`, `Write it like ${localhost(usualPort)}`)
}
