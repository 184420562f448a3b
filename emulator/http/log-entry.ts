import type { HttpRequest } from '../http-types.ts'
import type { Settings } from '../settings/settings.ts'
import type { LogEntry } from './admission.ts'
import { clientAddress } from './request/client-address.ts'
import type { RequestTarget } from './request/request-target.ts'

interface Arrival {
  readonly target: RequestTarget
  readonly keyIn: LogEntry['keyIn']
  /** Epoch milliseconds. */
  readonly at: number
  readonly settings: Settings
}

/** How the log shows a request whose client went away unanswered; web servers write the same number. */
const clientClosedRequest = 499

/** What a client wrote, as far as the log keeps it: long texts would push out the requests of others. */
const [longestMethod, longestPath, longestAddress] = [32, 2_048, 64]

/** What is known of a request as it arrives. */
export function newLogEntry(request: HttpRequest, { target, keyIn, at, settings }: Arrival): LogEntry {
  return {
    method: loggedMethod(request.method),
    endpoint: cut(target.path, longestPath),
    status: clientClosedRequest,
    clientIp: cut(clientAddress(request, settings), longestAddress),
    at,
    cost: 0,
    accountId: null,
    keyIn,
  }
}

export function loggedMethod(method: string): string {
  return cut(method, longestMethod)
}

/** Said of what is not whole; as JSON a letter may take six bytes. */
function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
