import type { RequestRecord } from '../storage/record-store.ts'

/** A logged request. */
export interface RequestInfo {
  readonly method: string
  /** The path without its query. */
  readonly endpoint: string
  /** 499 if the client disconnected before the answer. */
  readonly status: number
  readonly client_ip: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** Units charged. */
  readonly cost: number
  /** Null if the key belongs to no account. */
  readonly account_id: number | null
  readonly key_in: 'header' | 'query' | 'none'
  /** The type of the fault that affected it, if any. */
  readonly fault?: string
}

export function presentRequest(request: RequestRecord): RequestInfo {
  return {
    method: request.method,
    endpoint: request.endpoint,
    status: request.status,
    client_ip: request.clientIp,
    at: new Date(request.at).toISOString(),
    cost: request.cost,
    account_id: request.accountId,
    key_in: request.keyIn,
    ...(request.fault === undefined ? undefined : { fault: request.fault }),
  }
}
