import { setFlagsFromString } from 'node:v8'
import { nodeTransport, type Transport, undiciTransport } from '../../index.ts'
import type { Environment } from './settings.ts'
import type { WireSettings } from './wire-settings.ts'

export interface CliTransportOptions extends Pick<WireSettings, 'idleTimeoutMs' | 'proxy' | 'ca'> {
  readonly env: Environment
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/**
 * Everything goes through Node's own HTTP client, which starts at once and sends a large file with less of processor and
 * memory than undici; only a proxy takes undici.
 *
 * @throws TypeError where the proxy cannot be used
 */
export function createCliTransport({ idleTimeoutMs, proxy, ca, env }: CliTransportOptions): Transport {
  const common = { idleTimeoutMs, ...(ca === undefined ? {} : { ca }) }
  if (proxy === undefined && !proxyVariables.some((name) => env[name])) return nodeTransport(common)
  keepCompilerSmall()
  return undiciTransport({ ...common, env, ...(proxy === undefined ? {} : { proxy }) })
}

/**
 * Node 20 spends a third of a short process's time and 30 MiB on optimising undici's WebAssembly parser, which never
 * pays off here. Later versions are slower with this flag.
 */
function keepCompilerSmall(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only')
}
