import type { Control, LoggedRequest } from '../../../../emulator/index.ts'
import type { ServedRequest } from '../../output/events.ts'

/**
 * Reports every request to the API, as the emulator's log has it: without secrets.
 * @returns stops watching, after reporting all requests so far
 */
export function watchRequests(control: Control, tell: (request: ServedRequest) => void): () => Promise<void> {
  const ended = new AbortController()
  const follow = async () => {
    for await (const event of control.requests.stream({}, { signal: ended.signal })) {
      if (event.event === 'request') tell(servedRequest(event.request, control))
    }
  }
  // Following fails only if the store has failed, which the emulator reports itself.
  const following = follow().catch(() => {})
  return async () => {
    ended.abort()
    await following
  }
}

function servedRequest(request: LoggedRequest, control: Control): ServedRequest {
  const { number, at, method, endpoint, cost, account_id: account, fault = null } = request
  const { headers, exchange } = control.requests.get(number)
  const { response = null, query = '', duration_ms = 0 } = exchange ?? {}
  return {
    at,
    method,
    path: query === '' ? endpoint : `${endpoint}?${query}`,
    status: response?.status ?? null,
    duration_ms: Math.round(duration_ms),
    bytes: response?.body?.size ?? null,
    cost,
    account: account === null ? null : accountName(account, control),
    fault,
    headers,
    answer_headers: response?.headers ?? {},
  }
}

/** The account may have been deleted since. */
function accountName(id: number, { accounts }: Control): string {
  try {
    return accounts.get(id).email
  } catch {
    return `account ${id}`
  }
}
