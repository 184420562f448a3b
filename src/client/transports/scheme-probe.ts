import { openConnection } from './connection.ts'
import { TransportError } from './transport.ts'

/** A port that speaks TLS says so at once. */
const LONGEST_PROBE_MS = 2_000

/** What is known of the hosts that were asked over plain http. */
export interface SchemeProbe {
  /** A host that has answered in HTTP speaks it. */
  answered(url: URL): void
  /**
   * A port that speaks TLS closes a connection on which a plain request comes, most often without a word. Finds out
   * whether this is why a first exchange broke, with a connection on which nothing is sent but the beginning of TLS.
   *
   * @returns the error that says so, else the one that is given
   */
  explain(error: unknown, url: URL): Promise<unknown>
}

export function createSchemeProbe(): SchemeProbe {
  const known = new Set<string>()
  return {
    answered({ host }) {
      known.add(host)
    },
    async explain(error, url) {
      const { host, protocol } = url
      const isCut = error instanceof TransportError && error.failure === 'interrupted' && !error.permanent
      if (!isCut || protocol !== 'http:' || known.has(host)) return error
      known.add(host)
      if (!(await speaksTls(url))) return error
      known.delete(host)
      const words = `${host} speaks TLS on this port: use https://${host}`
      return new TransportError('wrong-scheme', words, { cause: error, permanent: true })
    },
  }
}

async function speaksTls({ host }: URL): Promise<boolean> {
  const { ready, reset } = openConnection({ url: new URL(`https://${host}`), idleTimeoutMs: LONGEST_PROBE_MS })
  try {
    await ready
    return true
  } catch (error) {
    // A certificate that is not trusted is one all the same.
    return error instanceof TransportError && error.failure === 'untrusted'
  } finally {
    reset()
  }
}
