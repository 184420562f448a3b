import type { Control, LoggedRequest } from '../../../../emulator/index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { formatByteSize, formatClockTime, printable } from '../../format/format.ts'
import { headerLines } from '../../output/wire-text.ts'

/**
 * A request to the API of a running emulator as one line, such as `09:30:12 POST /api/upload: 201, 14 ms, 412 B, 10 units,
 * account1@emulator.test`, or as JSON; with --debug, with the headers of both sides. Secrets are hidden.
 */
export function servedRequest(request: LoggedRequest, control: Control, isDebug: boolean) {
  const { number, at, method, endpoint, cost, account_id: id, fault = null } = request
  const { headers, exchange } = control.requests.get(number)
  const { response = null, query = '', duration_ms = 0 } = exchange ?? {}
  const answerHeaders = response?.headers ?? {}
  // The account may have been deleted since.
  const owner = control.accounts.list().find((account) => account.id === id)
  const account = id === null ? null : (owner?.email ?? `account ${id}`)
  const path = query === '' ? endpoint : `${endpoint}?${query}`
  const [status, bytes] = [response?.status ?? null, response?.body?.size ?? null]
  const ms = Math.round(duration_ms)
  const facts = [
    status ?? 'no answer',
    `${ms} ms`,
    ...(bytes === null ? [] : [formatByteSize(bytes)]),
    counted(cost, 'unit'),
    printable(account ?? 'no account'),
    ...(fault === null ? [] : [`fault: ${printable(fault)}`]),
  ]
  const time = formatClockTime(Date.parse(at), Date.parse(at), { seconds: true })
  const line = `${time} ${printable(method)} ${printable(path)}: ${facts.join(', ')}`
  const data = { type: 'request', at, method, path, status, duration_ms: ms, bytes, cost, account, fault }
  if (!isDebug) return { data, text: [line] }
  return {
    data: { ...data, headers, answer_headers: answerHeaders },
    text: [line, ...headerLines(headers, '  > '), ...headerLines(answerHeaders, '  < ')],
  }
}
