import { orAborted } from '../../system/signals.ts'
import { Connection } from './open-connection.ts'
import type { Route } from './proxy.ts'
import { TransportError } from './transport.ts'
import { TlsPortError } from './transport-failure.ts'

/** A port that speaks TLS answers at once. */
const LONGEST_PROBE_MS = 2_000

/** Finds out whether a host that was asked over plain http speaks TLS on that port. */
export class SchemeProbe {
  /** Origins that answered in HTTP, or were probed. */
  readonly #known = new Set<string>()

  answered({ origin }: URL): void {
    this.#known.add(origin)
  }

  /**
   * Finds out whether a first exchange broke because the port speaks TLS: such a port mostly closes a plain connection
   * without a word. Opens a TLS connection and sends nothing on it; not through a proxy, where it would ask another port. A
   * request whose body was begun may have arrived all the same.
   *
   * @returns an error that says `https`, or else the given one; `signal.reason` if the caller aborts
   */
  async explain(
    error: unknown,
    { url, proxy }: Route,
    { signal, isBegun }: { readonly signal: AbortSignal | undefined; readonly isBegun: boolean },
  ): Promise<unknown> {
    const { host, origin, protocol } = url
    const isCut = error instanceof TransportError && error.failure === 'interrupted'
    if (!isCut || proxy !== undefined || protocol !== 'http:' || this.#known.has(origin)) return error
    const isTls = await speaksTls(host, signal)
    if (signal?.aborted) return signal.reason
    if (!isTls) {
      this.#known.add(origin)
      return error
    }
    const words = `${host} speaks TLS on this port: use https://${host}`
    const details = { cause: error, permanent: true }
    return isBegun
      ? new TlsPortError('interrupted', `${error.message}; ${words}`, details)
      : new TlsPortError('wrong-scheme', words, details)
  }
}

async function speaksTls(host: string, signal: AbortSignal | undefined): Promise<boolean> {
  const route = { url: new URL(`https://${host}`), proxy: undefined }
  const connection = new Connection(route, { idleTimeoutMs: LONGEST_PROBE_MS })
  try {
    await orAborted(connection.ready, signal)
    return true
  } catch (error) {
    // An untrusted certificate proves TLS too.
    return error instanceof TransportError && error.failure === 'untrusted'
  } finally {
    connection.reset()
  }
}
