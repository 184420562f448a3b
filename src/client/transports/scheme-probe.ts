import { orAborted } from '../../system/abortable.ts'
import { openConnection } from './connection.ts'
import { TransportError, type TransportRequest } from './transport.ts'

/** The first byte of TLS's answer to a connection that does not speak TLS. */
const TLS_ALERT = 0x15
/** A port that speaks TLS answers at once. */
const LONGEST_PROBE_MS = 2_000

/** Finds out whether a host that was asked over plain http speaks TLS on that port. */
export interface SchemeProbe {
  /** Notes that a host answered in HTTP. */
  answered(url: URL): void
  /** Notes the first byte that a host sent; any but a TLS alert belongs to another protocol. */
  heard(url: URL, byte: number): void
  /**
   * Finds out whether a first exchange broke because the port speaks TLS: such a port mostly closes a plain connection
   * without a word. Opens a TLS connection and sends nothing on it. Hosts that answered plainly are not probed, because a
   * port that speaks both may have taken the request. A request whose body was begun may have arrived all the same.
   *
   * @returns an error that says `https`, or else the given one; `signal.reason` if the caller aborts
   */
  explain(error: unknown, request: TransportRequest, isBodyBegun: boolean): Promise<unknown>
}

export function createSchemeProbe(): SchemeProbe {
  const known = new Set<string>()
  return {
    answered({ origin }) {
      known.add(origin)
    },
    heard({ origin }, byte) {
      if (byte !== TLS_ALERT) known.add(origin)
    },
    async explain(error, { url, signal }, isBodyBegun) {
      const { host, origin, protocol } = new URL(url)
      const isCut = error instanceof TransportError && error.failure === 'interrupted' && !error.permanent
      if (!isCut || protocol !== 'http:' || known.has(origin)) return error
      known.add(origin)
      const isTls = await speaksTls(host, signal)
      if (isTls || signal?.aborted) known.delete(origin)
      if (signal?.aborted) return signal.reason
      if (!isTls) return error
      const words = `${host} speaks TLS on this port: use https://${host}`
      const details = { cause: error, permanent: true }
      if (isBodyBegun) return new TransportError('interrupted', `${error.message}; ${words}`, details)
      return new TransportError('wrong-scheme', words, details)
    },
  }
}

async function speaksTls(host: string, signal: AbortSignal | undefined): Promise<boolean> {
  const { ready, reset } = openConnection({ url: new URL(`https://${host}`), idleTimeoutMs: LONGEST_PROBE_MS })
  try {
    await (signal ? orAborted(ready, signal) : ready)
    return true
  } catch (error) {
    // An untrusted certificate proves TLS too.
    return error instanceof TransportError && error.failure === 'untrusted'
  } finally {
    reset()
  }
}
