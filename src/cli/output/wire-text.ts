import { STATUS_CODES } from 'node:http'
import type { ClientEvent } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import { unreachable } from '../failures/cli-error.ts'
import { formatByteSize, formatClockTime, formatDuration, printable, printableJson } from '../format/format.ts'
import type { CliEvent, ServedRequest, Verbosity } from './events.ts'
import type { Palette } from './terminal/terminal.ts'

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
  if (event.type === 'retry')
    return `Trying again in ${delay}: ${printable(event.reason)} (attempt ${event.attempt + 1})`
  const { source, window } = event
  const seconds = delayMs < SECONDS_UP_TO_MS
  const until = now === undefined ? '' : `, until ${formatClockTime(now + delayMs, now, { seconds })}`
  if (source === 'unavailable') return `Waiting ${delay}${until}: the API is disabled (503)`
  return `Waiting ${delay} for the ${window === undefined ? '' : `${window} `}quota${until}${reasons[source]}`
}

/** A wait gets a line only if it is at least this long, and ends at least this much later than the last one printed. */
const SHORTEST_REPORTED_MS = 2_000

/** Tells of each wait when it begins, once for all requests that wait for the same window. */
export function createWaitLines<W extends { readonly delayMs: number }>(
  now: () => number,
  say: (wait: W, at: number) => void,
): (wait: W) => void {
  let reportedUntil = Number.NEGATIVE_INFINITY
  return (wait) => {
    const at = now()
    const until = at + wait.delayMs
    if (wait.delayMs < SHORTEST_REPORTED_MS || until < reportedUntil + SHORTEST_REPORTED_MS) return
    reportedUntil = until
    say(wait, at)
  }
}

/**
 * The address of a started emulator, and how to use it.
 * @param isBrief whether to leave out the key, the export line and what everyone knows
 */
export function readyText(
  { ready, variables, signIn }: Extract<CliEvent, { type: 'emulator-ready' }>,
  isBrief: boolean,
): readonly string[] {
  const { base_url, api_key, control_url, control_token, site_url } = ready
  const address = `The emulator is ready at ${base_url}`
  const token = control_token === undefined ? [] : [`Control token, for other machines: ${control_token}`]
  const exported = { FH_BASE_URL: base_url, FH_API_KEY: api_key, ...variables }
  if (isBrief) return [address, ...token]
  // A generated password is told apart, on stderr.
  const isTold = control_token === undefined && signIn?.password !== undefined
  const password = isTold ? `, password ${signIn.password}` : ''
  const website = signIn && [`Website: ${site_url}/login, email ${printable(signIn.email)}${password}`]
  return [
    address,
    `API key: ${api_key}`,
    `Control: ${control_url}`,
    `Dashboard: ${control_url}/ui`,
    ...token,
    ...(website ?? []),
    '',
    `export ${Object.entries(exported)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  ]
}

/** A request to the emulator as one line; with --debug, followed by the headers of request and answer. */
export function requestLines(
  request: ServedRequest,
  { debug }: Pick<Verbosity, 'debug'>,
  palette: Palette,
): readonly string[] {
  const headers = [...headerLines(request.headers, '  > '), ...headerLines(request.answer_headers, '  < ')]
  return [requestLine(request, palette), ...(debug ? headers : [])]
}

export function presentRequest({ headers, answer_headers, ...request }: ServedRequest, debug: boolean): object {
  return { type: 'request', ...request, ...(debug && { headers, answer_headers }) }
}

/** `09:30:12 POST /api/upload: 201, 14 ms, 412 B, 10 units, account1@emulator.test`. */
function requestLine(request: ServedRequest, palette: Palette): string {
  const { method, path, bytes, cost, account, fault } = request
  const at = Date.parse(request.at)
  const time = palette.faint(formatClockTime(at, at, { seconds: true }))
  const facts = [
    outcomeText(request.status, palette),
    `${request.duration_ms.toLocaleString('en')} ms`,
    ...(bytes === null ? [] : [formatByteSize(bytes)]),
    counted(cost, 'unit'),
    printable(account ?? 'no account'),
    ...(fault === null ? [] : [palette.warning(`fault: ${printable(fault)}`)]),
  ]
  return `${time} ${printable(method)} ${printable(path)}: ${facts.join(', ')}`
}

function outcomeText(status: number | null, palette: Palette): string {
  if (status === null) return palette.error('no answer')
  if (status >= 500) return palette.error(`${status}`)
  return status >= 400 ? palette.warning(`${status}`) : palette.success(`${status}`)
}

/** An answer of `fh api` as text: with --include the status and headers, then the body. */
export function answerText({ answer, include }: Extract<CliEvent, { type: 'answer-shown' }>): string {
  const { status, headers, text } = answer
  const head = include
    ? [`HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...headerLines(headers, ''), '']
    : []
  const line = (part: string) => part.replace(/\r$/, '').split('\t').map(printable).join('\t')
  const body = typeof answer.body === 'string' ? text.split('\n').map(line).join('\n') : printableJson(text)
  return [...head, ...(body.trim() === '' ? [] : [body.trimEnd()])].join('\n')
}

/** The items of an answer for --jsonl: the entries of a page, else the whole body. */
export function answerItems(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body
  const { data } = Object(body)
  return Array.isArray(data) ? data : [body]
}
