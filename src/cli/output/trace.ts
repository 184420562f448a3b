import type { ClientEvent } from '../../index.ts'
import { unreachable } from '../failures/cli-error.ts'
import { formatDuration } from './format/duration.ts'
import { printable } from './format/format.ts'

/** The lines of --debug: `> METHOD path`, `< STATUS`, each with its headers. The client has redacted the key. */
export function traceLines(event: ClientEvent): readonly string[] {
  switch (event.type) {
    case 'request':
      return [`> ${event.request.method} ${printable(event.request.path)}`, ...headerLines(event.headers)]
    case 'response':
      return [`< ${event.status}`, ...headerLines(event.headers)]
    case 'failure':
      return [`! ${printable(event.message)}`]
    case 'wait':
    case 'retry':
      return [`! ${waitText(event)}`]
    case 'ledger-problem':
      return [`! ${printable(event.folder)} cannot be used: ${printable(event.reason)}`]
    default:
      return unreachable(event)
  }
}

/** How long a run waits, and why. */
export function waitText(event: Extract<ClientEvent, { type: 'wait' | 'retry' }>): string {
  const delay = formatDuration(event.delayMs)
  if (event.type === 'retry') return `Trying again in ${delay}: ${printable(event.reason)}`
  if (event.source === 'unavailable') return `Waiting ${delay}: the API is disabled`
  const window = event.window === undefined ? 'quota' : `${event.window} quota`
  const because = { ledger: '', 'retry-after': ', after a refusal', guess: ', estimated after a refusal' }[event.source]
  return `Waiting ${delay} for the ${window}${because}`
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `  ${printable(name)}: ${printable(value)}`)
}
