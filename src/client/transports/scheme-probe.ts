import { orAborted } from '../../system/abortable.ts'
import { openConnection } from './connection.ts'
import { TransportError } from './transport.ts'

/** The first byte of all that TLS says to a connection on which it is not spoken. */
const TLS_ALERT = 0x15
/** A port that speaks TLS says so at once. */
const LONGEST_PROBE_MS = 2_000

/** What is known of the hosts that were asked over plain http. */
export interface SchemeProbe {
  /** A host that has answered in HTTP speaks it. */
  answered(url: URL): void
  /** The first byte that came on a connection; any but that of TLS is some other protocol's. */
  heard(url: URL, byte: number): void
  /**
   * A port that speaks TLS closes a connection on which a plain request comes, most often without a word. Finds out
   * whether this is why a first exchange broke, with a connection on which nothing is sent but the beginning of TLS. One
   * that speaks both may have taken the request: once it has said anything else, it is not asked; and a request whose
   * body was begun may have arrived all the same.
   *
   * @returns the error that says so, else the one that is given; where the signal aborts, its reason
   */
  explain(
    error: unknown,
    url: URL,
    request: { isBodyBegun: boolean; signal?: AbortSignal | undefined },
  ): Promise<unknown>
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
    async explain(error, url, { isBodyBegun, signal }) {
      const { host, origin, protocol } = url
      const isCut = error instanceof TransportError && error.failure === 'interrupted' && !error.permanent
      if (!isCut || protocol !== 'http:' || known.has(origin)) return error
      known.add(origin)
      const isTls = await speaksTls(url, signal)
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

async function speaksTls({ host }: URL, signal: AbortSignal | undefined): Promise<boolean> {
  const { ready, reset } = openConnection({ url: new URL(`https://${host}`), idleTimeoutMs: LONGEST_PROBE_MS })
  try {
    await (signal ? orAborted(ready, signal) : ready)
    return true
  } catch (error) {
    // A certificate that is not trusted is one all the same.
    return error instanceof TransportError && error.failure === 'untrusted'
  } finally {
    reset()
  }
}
