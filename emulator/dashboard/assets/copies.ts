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

export function jsonOrText(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text
}
