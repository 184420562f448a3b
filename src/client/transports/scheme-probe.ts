import { orAborted } from '../../system/signals.ts'
import { openConnection } from './open-connection.ts'
import { TransportError } from './transport.ts'
import { TlsPortError } from './transport-failure.ts'
import type { Route } from './tunnel.ts'

/** The first byte of TLS's answer to a connection that does not speak TLS. */
const TLS_ALERT = 0x15
/** A port that speaks TLS answers at once. */
const LONGEST_PROBE_MS = 2_000

/** Finds out whether a host that was asked over plain http speaks TLS on that port. */
export function createSchemeProbe() {
  const known = new Set<string>()
  return {
    /** Notes that a host answered in HTTP. */
    answered({ origin }: URL) {
      known.add(origin)
    },
    /** Notes the first byte that a host sent; any but a TLS alert belongs to another protocol. */
    heard({ origin }: URL, byte: number) {
      if (byte !== TLS_ALERT) known.add(origin)
    },
    /**
     * Finds out whether a first exchange broke because the port speaks TLS: such a port mostly closes a plain connection
     * without a word. Opens a TLS connection and sends nothing on it. Hosts that answered plainly are not probed, because a
     * port that speaks both may have taken the request. A request whose body was begun may have arrived all the same.
     *
     * @returns an error that says `https`, or else the given one; `signal.reason` if the caller aborts
     */
    async explain(
      error: unknown,
      { url: { host, origin, protocol }, proxy }: Route,
      { signal, isBegun }: { signal: AbortSignal | undefined; isBegun: boolean },
    ): Promise<unknown> {
      const isCut = error instanceof TransportError && error.failure === 'interrupted'
      // Through a proxy, the probe would ask another port.
      if (!isCut || proxy !== undefined || protocol !== 'http:' || known.has(origin)) return error
      known.add(origin)
      const isTls = await speaksTls(host, signal)
      if (isTls || signal?.aborted) known.delete(origin)
      if (signal?.aborted) return signal.reason
      if (!isTls) return error
      const words = `${host} speaks TLS on this port: use https://${host}`
      const details = { cause: error, permanent: true }
      if (isBegun) return new TlsPortError('interrupted', `${error.message}; ${words}`, details)
      return new TlsPortError('wrong-scheme', words, details)
    },
  }
}

async function speaksTls(host: string, signal: AbortSignal | undefined): Promise<boolean> {
  const { ready, reset } = openConnection({ url: new URL(`https://${host}`), idleTimeoutMs: LONGEST_PROBE_MS })
  try {
    await orAborted(ready, signal)
    return true
  } catch (error) {
    // An untrusted certificate proves TLS too.
    return error instanceof TransportError && error.failure === 'untrusted'
  } finally {
    reset()
  }
}
