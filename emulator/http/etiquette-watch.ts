import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { HttpReply } from '../http-types.ts'
import { type Advice, breachOf, createManners, type Standing } from '../service/client-advice.ts'
import type { Service } from '../service/service.ts'
import { isUsableInstant } from '../values/instant.ts'
import type { Applicant, LogEntry } from './admission.ts'

/** Sees whether clients heed what they were told, and leaves word of it in the log. */
export interface EtiquetteWatch {
  /** What the client of a key knew that sends a request now. */
  arrive(key: string | undefined): Standing | undefined
  /** To be called when it is known what becomes of a request that something held back. */
  judge(standing: Standing, key: string | undefined, entry: LogEntry): void
  /** To be called for every answer that is sent. */
  tell(key: string | undefined, applicant: Applicant, reply: HttpReply): void
  forget(): void
}

export function createEtiquetteWatch({ accounts }: Pick<Service, 'accounts'>): EtiquetteWatch {
  const manners = createManners()
  return {
    arrive: manners.arrive,
    judge(standing, key, entry) {
      const breach = breachOf(standing, entry)
      if (breach === undefined) return
      // A service that is disabled has looked nobody up, but whose client it was is worth knowing.
      const known = entry.accountId ?? (key === undefined ? undefined : accounts.findByKey(key)?.id)
      entry.breach = { ...breach, accountId: known ?? null }
    },
    tell: (key, { entry, verdict }, { headers }) =>
      manners.tell(key, entry, adviceOf(entry, headers, verdict?.standing)),
    forget: manners.forget,
  }
}

function adviceOf(
  entry: LogEntry,
  headers: HttpReply['headers'],
  standing: { readonly remaining: number; readonly resetsAt: number } | undefined,
): Advice {
  const isTold = standing !== undefined && headers[rateHeaders.remaining] !== undefined
  const mayWait = entry.status === 429 || entry.status === 503
  return {
    retryAt: mayWait ? retryInstant(headers, entry.at) : undefined,
    remaining: isTold ? standing.remaining : undefined,
    resetsAt: isTold ? standing.resetsAt : undefined,
  }
}

/**
 * Seconds count from when the request came: who waits from the answer on, waits longer. What lies beyond all dates, which
 * no report could name, binds nobody.
 */
function retryInstant(headers: HttpReply['headers'], at: number): number | undefined {
  const name = rateHeaders.retryAfter.toLowerCase()
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  if (value === undefined) return undefined
  const instant = /^\d+(\.\d+)?$/.test(value) ? at + Number(value) * 1_000 : Date.parse(value)
  return isUsableInstant(instant) ? instant : undefined
}
