import { setFlagsFromString } from 'node:v8'
import { nodeTransport, type Transport, undiciTransport } from '../../index.ts'
import type { Environment } from './settings.ts'
import type { WireSettings } from './wire-settings.ts'

export interface CliTransportOptions extends Pick<WireSettings, 'idleTimeoutMs' | 'proxy' | 'ca'> {
  readonly env: Environment
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/**
 * Node's own HTTP client, which starts faster than undici and takes less CPU and memory for large files; undici behind a
 * proxy (docs/decisions/005-node-http-beside-undici.md).
 *
 * @throws TypeError if the proxy's URL is not valid
 */
export function createCliTransport({ idleTimeoutMs, proxy, ca, env }: CliTransportOptions): Transport {
  const common = { idleTimeoutMs, ...(ca === undefined ? {} : { ca }) }
  if (proxy === undefined && !proxyVariables.some((name) => env[name])) return nodeTransport(common)
  keepCompilerSmall()
  return undiciTransport({ ...common, env, ...(proxy === undefined ? {} : { proxy }) })
}

/**
 * Keeps Node 20 from optimising undici's WebAssembly parser, which takes a third of the time of a short process and 30
 * MiB. Later versions of Node are slower with this flag.
 */
function keepCompilerSmall(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only')
}
