import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { HttpReply } from '../http-types.ts'
import { type Advice, createAdviceMemory, type OutstandingAdvice, violationOf } from '../service/client-advice.ts'
import type { WindowStatus } from '../service/quota/quota-window.ts'
import type { Service } from '../service/service.ts'
import { isUsableInstant } from '../values/value-type.ts'
import type { LogEntry, RequestContext } from './request-context.ts'

export function createEtiquetteWatch({ accounts }: Pick<Service, 'accounts'>) {
  const memory = createAdviceMemory()
  return {
    /** The advice that the client with this key has not yet waited out. */
    outstandingAdvice: memory.outstanding,
    /** Call once the outcome of a request that ignored earlier advice is known. */
    recordViolation(advice: OutstandingAdvice, { key, entry }: RequestContext) {
      const violation = violationOf(advice, entry)
      if (violation === undefined) return
      // A disabled service looks up no key, but the report names the account.
      const known = entry.accountId ?? (key === undefined ? undefined : accounts.findByKey(key)?.id)
      entry.breach = { ...violation, accountId: known ?? null }
    },
    /** Call for every reply that is sent. */
    recordAdvice: ({ key, entry, verdict }: RequestContext, { headers }: HttpReply) =>
      memory.remember(key, entry, adviceOf(entry, headers, verdict?.reportedWindow)),
    clear: memory.clear,
  }
}

/** Notices clients that ignore earlier advice and records it in the request log. */
export type EtiquetteWatch = ReturnType<typeof createEtiquetteWatch>

function adviceOf(entry: LogEntry, headers: HttpReply['headers'], window: WindowStatus | undefined): Advice {
  const isReported = window !== undefined && headers[rateHeaders.remaining] !== undefined
  const mayWait = entry.status === 429 || entry.status === 503
  return {
    retryAt: mayWait ? retryInstant(headers, entry.at) : undefined,
    remaining: isReported ? window.remaining : undefined,
    resetsAt: isReported ? window.resetsAt : undefined,
  }
}

/**
 * Seconds count from the request's arrival, so a client that counts from the reply waits longer. An instant outside the
 * range of dates is ignored.
 */
function retryInstant(headers: HttpReply['headers'], at: number): number | undefined {
  const name = rateHeaders.retryAfter.toLowerCase()
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  if (value === undefined) return undefined
  const instant = /^\d+(\.\d+)?$/.test(value) ? at + Number(value) * 1_000 : Date.parse(value)
  return isUsableInstant(instant) ? instant : undefined
}
