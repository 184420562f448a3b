import type { ClientRequest } from 'node:http'
import { systemClock } from '../../clock.ts'
import type { RequestBody, TransportResponse } from './transport.ts'

/** From here on it pays to be told of a refusal before the body is sent (RFC 9110 10.1.1). */
const LARGE_BYTES = 1_048_576
/** How long a server may think about whether it wants the body; many never say. */
const LONGEST_THOUGHT_MS = 1_000

const EXPECTATION_FAILED = 417

/** Asks servers whether they want a large body before it is sent, and learns which of them are not to be asked. */
export interface Expectations {
  /** The header that asks; none where the body is small or the server is not to be asked. */
  headersFor(url: URL, body: RequestBody | undefined): Record<string, string>
  /** Whether the body is to be sent, now that the headers are: at once, or when the server says so or nothing for a while. */
  leave(message: ClientRequest, url: URL): Promise<boolean>
  /** A server that refused a request for the question is not asked again. */
  refused(url: URL): void
}

export function createExpectations(): Expectations {
  const unasked = new Set<string>()
  return {
    headersFor({ host }, body): Record<string, string> {
      const isLarge = body !== undefined && (body.length ?? Number.POSITIVE_INFINITY) >= LARGE_BYTES
      return isLarge && !unasked.has(host) ? { expect: '100-continue' } : {}
    },
    async leave(message, { host }) {
      if (message.getHeader('expect') === undefined) return true
      const answer = await firstWord(message)
      if (answer === 'silence') unasked.add(host)
      return answer === 'silence' || answer === 'continue'
    },
    refused({ host }) {
      unasked.add(host)
    },
  }
}

/** Whether a server refused a request for the question in its headers alone. */
export function isRefused({ status }: TransportResponse, sent: Readonly<Record<string, string>>): boolean {
  return status === EXPECTATION_FAILED && sent['expect'] !== undefined
}

function firstWord(message: ClientRequest): Promise<'continue' | 'answer' | 'silence' | 'end'> {
  const heard = new AbortController()
  return new Promise<'continue' | 'answer' | 'silence' | 'end'>((resolve) => {
    message.once('continue', () => resolve('continue'))
    message.once('response', () => resolve('answer'))
    message.once('close', () => resolve('end'))
    message.once('error', () => resolve('end'))
    systemClock.sleep(LONGEST_THOUGHT_MS, heard.signal).then(
      () => resolve('silence'),
      () => {},
    )
  }).finally(() => heard.abort())
}
