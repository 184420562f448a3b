import type { ClientRequest } from 'node:http'
import { startTimer, systemClock } from '../../clock.ts'
import type { RequestBody, TransportResponse } from './transport.ts'

/** For bodies of this size it pays to hear a refusal before sending them (RFC 9110 10.1.1). */
const LARGE_BYTES = 1_048_576
/** How long to wait for a server's decision; many never send one. */
const LONGEST_DECISION_MS = 1_000

const EXPECTATION_FAILED = 417

/** Asks servers whether they accept a large body before it is sent (`Expect: 100-continue`), and learns which ones not to ask. */
export function createExpectations() {
  const unasked = new Set<string>()
  return {
    /** The Expect header; none for a small body, or a server that is not to be asked. */
    headersFor({ host }: URL, body: RequestBody | undefined): Record<string, string> {
      const isLarge = body !== undefined && (body.length ?? Number.POSITIVE_INFINITY) >= LARGE_BYTES
      return isLarge && !unasked.has(host) ? { expect: '100-continue' } : {}
    },
    /** Resolves when the body may be sent (true), or the server has answered or closed without it (false). */
    async allowsBody(message: ClientRequest, { host }: URL) {
      if (message.getHeader('expect') === undefined) return true
      const answer = await decisionOf(message)
      if (answer === 'silence') unasked.add(host)
      return answer === 'silence' || answer === 'continue'
    },
    /** Notes that a server refused the Expect header. */
    refused({ host }: URL) {
      unasked.add(host)
    },
  }
}

/** Whether a server refused a request only because of its Expect header. */
export function isExpectationRefused({ status }: TransportResponse, sent: Readonly<Record<string, string>>): boolean {
  return status === EXPECTATION_FAILED && sent['expect'] !== undefined
}

function decisionOf(message: ClientRequest): Promise<'continue' | 'answer' | 'silence' | 'end'> {
  let stop = () => {}
  return new Promise<'continue' | 'answer' | 'silence' | 'end'>((resolve) => {
    message.once('continue', () => resolve('continue'))
    message.once('response', () => resolve('answer'))
    message.once('close', () => resolve('end'))
    message.once('error', () => resolve('end'))
    stop = startTimer(systemClock, LONGEST_DECISION_MS, () => resolve('silence'))
  }).finally(() => stop())
}
