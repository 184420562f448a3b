import { parseJson } from '../../../src/checks/json.ts'
import { shellWord } from '../../../src/environment/shell-word.ts'
import type { RequestDetail } from '../../control/request-detail.ts'

/** A request as a command for a shell; what the log hides is taken from the environment. */
export function curlOf(detail: RequestDetail, origin: string): string {
  const { method, endpoint, headers, exchange, file, key_in: keyIn } = detail
  const query = exchange === null || exchange.query === '' ? '' : `?${exchange.query}`
  const lines = [`curl -X ${shellWord(method)} ${keyed(`${exchange?.origin ?? origin}${endpoint}${query}`)}`]
  if (keyIn === 'header') lines.push('-H "X-Api-Key: $FH_API_KEY"')
  for (const [name, value] of Object.entries(headers)) {
    if (value !== '(hidden)' && !ownHeaders.has(name)) lines.push(`-H ${shellWord(`${name}: ${value}`)}`)
  }
  if (file !== undefined) lines.push(`-F ${shellWord(`file=@${file.name}`)}`)
  else if (exchange?.request_body?.text !== undefined) lines.push(`--data-raw ${shellWord(exchange.request_body.text)}`)
  return lines.join(' \\\n  ')
}

/** What curl writes by itself. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'accept-encoding',
])

/** An address in which the shell puts the key where it was hidden. */
function keyed(url: string): string {
  return url.includes('(hidden)')
    ? `"${url.replace(/["\\$`]/g, '\\$&').replaceAll('(hidden)', '$FH_API_KEY')}"`
    : shellWord(url)
}

/** A fault that answers the next such request as this one was answered, for `POST /_emulator/faults`. */
export function faultOf({ method, endpoint, status, exchange }: RequestDetail): string {
  const { status: answered = status, headers = {}, body = null } = exchange?.response ?? {}
  const retry = headers['Retry-After']
  const action = {
    type: 'status',
    status: answered >= 200 && answered <= 599 ? answered : 503,
    ...(body?.text !== undefined && !body.is_cut && { body: jsonOrText(body.text) }),
    ...(retry !== undefined && { headers: { 'Retry-After': retry } }),
  }
  return JSON.stringify({ match: { method, path: endpoint }, times: 1, action }, null, 2)
}

/** A line of a test that demands such a request. */
export function testOf({ method, endpoint, status, account_id, file }: RequestDetail): string {
  const expected = {
    ...(account_id !== null && { account_id }),
    method,
    path: endpoint,
    status,
    ...(file !== undefined && { file: { name: file.name, size: file.size } }),
    count: 1,
  }
  const fields = JSON.stringify(expected, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/"(\w+)":/g, '$1:')
  return `emulator.control.requests.verify(${fields})`
}

export function jsonOrText(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text
}
