import { STATUS_CODES } from 'node:http'
import type { ClientEvent, RawResponse } from '../../index.ts'
import { formatClockTime, formatDuration, printable, printableJson } from '../format/format.ts'

/** The lines of --debug: `> METHOD path`, `< STATUS`, each with its headers. The client has redacted the key. */
export function traceLines(event: ClientEvent): readonly string[] {
  if (event.type === 'request') {
    return [`> ${event.request.method} ${printable(event.request.path)}`, ...headerLines(event.headers)]
  }
  if (event.type === 'response') return [`< ${event.status}`, ...headerLines(event.headers)]
  if (event.type === 'failure') return [`! ${printable(event.message)}`]
  // A warning tells of an outage.
  return event.type === 'wait' || event.type === 'retry' ? [`! ${waitText(event)}`] : []
}

function headerLines(headers: Readonly<Record<string, string>>, before = '  '): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${before}${printable(name)}: ${printable(value)}`)
}

/** A wait for quota, or before another attempt. */
export type Wait = Extract<ClientEvent, { type: 'wait' | 'retry' }>

/** For longer waits, the time is shown without seconds. */
const SECONDS_UP_TO_MS = 600_000

/** How long a run waits, and for what. @param now epoch milliseconds, to say also when a wait ends */
export function waitText(event: Wait, { ms = event.delayMs, now }: { ms?: number; now?: number } = {}): string {
  const delay = formatDuration(ms)
  if (event.type === 'retry')
    return `Trying again in ${delay}: ${printable(event.reason)} (attempt ${event.attempt + 1})`
  const { source, window } = event
  const about = source === 'guess' ? 'about ' : ''
  const quota = `${window === undefined ? '' : `${window} `}quota`
  const what = source === 'unavailable' ? 'API, which is disabled (503)' : quota
  const seconds = ms < SECONDS_UP_TO_MS
  const until = now === undefined ? '' : `, until ${formatClockTime(now + ms, now, { seconds })}`
  return `Waiting ${about}${delay} for the ${what}${until}`
}

/** A wait gets a line only if it is at least this long, and ends at least this much later than the last one printed. */
const SHORTEST_REPORTED_MS = 2_000

/** Tells of each wait when it begins, once for all requests that wait for the same window. */
export function createWaitLines(now: () => number, say: (wait: Wait, at: number) => void): (wait: Wait) => void {
  let reportedUntil = Number.NEGATIVE_INFINITY
  return (wait) => {
    const at = now()
    const until = at + wait.delayMs
    if (wait.delayMs < SHORTEST_REPORTED_MS || until < reportedUntil + SHORTEST_REPORTED_MS) return
    reportedUntil = until
    say(wait, at)
  }
}

export function answerText({ status, headers, body, text }: Omit<RawResponse, 'error'>, include: boolean): string {
  const head = include
    ? [`HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...headerLines(headers, ''), '']
    : []
  const line = (part: string) => part.replace(/\r$/, '').split('\t').map(printable).join('\t')
  const shown = typeof body === 'string' ? text.split('\n').map(line).join('\n') : printableJson(text)
  return [...head, ...(shown.trim() === '' ? [] : [shown.trimEnd()])].join('\n')
}

export function answerItems(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body
  const { data } = Object(body)
  return Array.isArray(data) ? data : [body]
}
