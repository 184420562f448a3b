import type { HttpRequest } from '../exchange.ts'
import type { Settings } from '../settings.ts'
import type { LogEntry } from './admission.ts'
import { clientAddress } from './client-address.ts'
import type { RequestTarget } from './request-target.ts'

interface Arrival {
  readonly target: RequestTarget
  readonly keyIn: LogEntry['keyIn']
  /** Epoch milliseconds. */
  readonly at: number
  readonly settings: Settings
}

/** How the log shows a request whose client went away unanswered; web servers write the same number. */
const clientClosedRequest = 499

/** What is known of a request as it arrives. */
export function newLogEntry(request: HttpRequest, { target, keyIn, at, settings }: Arrival): LogEntry {
  return {
    method: request.method,
    endpoint: target.path,
    status: clientClosedRequest,
    clientIp: clientAddress(request, settings),
    at,
    cost: 0,
    accountId: null,
    keyIn,
  }
}
