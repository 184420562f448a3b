import type { ClientEvent } from '../../index.ts'
import { unreachable } from '../failures/cli-error.ts'
import { formatClockTime, formatDuration, printable } from '../format/format.ts'

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
    case 'ledger-return':
      return ['! The shared ledger can be reached again']
    case 'ledger-outage':
      return [`! The shared ledger cannot be reached: ${printable(event.reason)}`]
    default:
      return unreachable(event)
  }
}

/** @param before what each line begins with */
export function headerLines(headers: Readonly<Record<string, string>>, before = '  '): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${before}${printable(name)}: ${printable(value)}`)
}

export type Wait = Extract<ClientEvent, { type: 'wait' }>

const reasons: Readonly<Record<Exclude<Wait['source'], 'unavailable'>, string>> = {
  ledger: '',
  'retry-after': ', after a refusal',
  guess: ' (estimated; no Retry-After was sent)',
}

/** For longer waits, the time is shown without seconds. */
export const SECONDS_UP_TO_MS = 600_000

/**
 * How long a run waits, and why.
 * @param now epoch milliseconds, to say also when a wait ends
 */
export function waitText(event: Wait | Extract<ClientEvent, { type: 'retry' }>, now?: number): string {
  const { delayMs } = event
  const delay = formatDuration(delayMs)
  if (event.type === 'retry') return `Trying again in ${delay}: ${printable(event.reason)}`
  const { source, window } = event
  const seconds = delayMs < SECONDS_UP_TO_MS
  const until = now === undefined ? '' : `, until ${formatClockTime(now + delayMs, now, { seconds })}`
  if (source === 'unavailable') return `Waiting ${delay}${until}: the API is disabled (503)`
  return `Waiting ${delay} for the ${window === undefined ? '' : `${window} `}quota${until}${reasons[source]}`
}
