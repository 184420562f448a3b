import { setFlagsFromString } from 'node:v8'
import { nodeTransport, type Transport, type TransportRequest, undiciTransport } from '../../index.ts'
import type { Environment } from '../settings/settings.ts'

export interface CliTransportOptions {
  readonly idleTimeoutMs: number
  /** Where it is undefined, the environment's proxy variables count. */
  readonly proxy: string | undefined
  /** PEM. */
  readonly ca: string | undefined
  readonly env: Environment
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/** Below this, loading undici would take longer than sending does. */
const SMALL_BODY_BYTES = 1_048_576

/**
 * Small calls go through Node's own HTTP client, which starts at once; large uploads, and everything behind a proxy, go
 * through undici, which is loaded when the first of those is sent.
 *
 * @throws TypeError where the proxy cannot be used
 */
export function createCliTransport({ idleTimeoutMs, proxy, ca, env }: CliTransportOptions): Transport {
  const common = { idleTimeoutMs, ...(ca === undefined ? {} : { ca }) }
  const small = nodeTransport(common)
  const full = undiciTransport({ ...common, env, ...(proxy === undefined ? {} : { proxy }) })
  const proxied = proxy !== undefined || proxyVariables.some((name) => env[name])
  return {
    send(request) {
      if (!proxied && isSmall(request)) return small.send(request)
      keepCompilerSmall()
      return full.send(request)
    },
    close: async () => full.close?.(),
  }
}

/**
 * Node 20 spends a third of a short process's time and 30 MiB on optimising undici's WebAssembly parser, which never
 * pays off here. Later versions are slower with this flag.
 */
function keepCompilerSmall(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only')
}

function isSmall({ body }: TransportRequest): boolean {
  return body === undefined || (body.length !== undefined && body.length <= SMALL_BODY_BYTES)
}
