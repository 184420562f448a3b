import { counted } from '../../protocol/quantities.ts'
import { formatByteSize, formatClockTime, printable } from '../format/format.ts'
import { headerLines } from './wire-text.ts'

/** The ready line of `fh emulate --json`. */
export interface EmulatorReady {
  readonly base_url: string
  readonly api_key: string
  readonly control_url: string
  readonly site_url: string
  readonly pid: number
  /** The token for control API calls from other machines; present only if they may reach the emulator. */
  readonly control_token?: string
}

/**
 * The address of a started emulator, and how to use it.
 * @param variables further environment variables that clients need, besides address and key
 * @param signIn to its website; no password if an earlier run or the seed chose it
 * @param isBrief whether to leave out the key, the export line and what everyone knows
 */
export function readyLines(
  { base_url, api_key, control_url, control_token, site_url }: EmulatorReady,
  variables: Readonly<Record<string, string>>,
  signIn: { readonly email: string; readonly password?: string } | undefined,
  isBrief: boolean,
): readonly string[] {
  const address = `The emulator is ready at ${base_url}`
  const token = control_token === undefined ? [] : [`Control token, for other machines: ${control_token}`]
  if (isBrief) return [address, ...token]
  // A generated password is told apart, on stderr.
  const isTold = control_token === undefined && signIn?.password !== undefined
  const password = isTold ? `, password ${signIn.password}` : ''
  const website = signIn && [`Website: ${site_url}/login, email ${printable(signIn.email)}${password}`]
  const exported = Object.entries({ FH_BASE_URL: base_url, FH_API_KEY: api_key, ...variables })
  return [
    address,
    `API key: ${api_key}`,
    `Control: ${control_url}`,
    `Dashboard: ${control_url}/ui`,
    ...token,
    ...(website ?? []),
    '',
    `export ${exported.map(([name, value]) => `${name}=${value}`).join(' ')}`,
  ]
}

/** A request to the API of a running emulator, secrets hidden. */
export interface ServedRequest {
  /** ISO 8601, on the emulator's clock. */
  readonly at: string
  readonly method: string
  readonly path: string
  /** Null if the request was not answered. */
  readonly status: number | null
  /** Until the answer was made. */
  readonly duration_ms: number
  /** Of the answer's body. */
  readonly bytes: number | null
  readonly cost: number
  /** The email of the account; null if the request had no valid key. */
  readonly account: string | null
  readonly fault: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly answer_headers: Readonly<Record<string, string>>
}

/** A request as one line, or as JSON; with --debug, with the headers of request and answer. */
export function servedRequest({ headers, answer_headers, ...request }: ServedRequest, isDebug: boolean) {
  const traced = isDebug ? { headers, answer_headers } : {}
  return {
    data: { type: 'request', ...request, ...traced },
    text: [
      requestLine(request),
      ...headerLines(traced.headers ?? {}, '  > '),
      ...headerLines(traced.answer_headers ?? {}, '  < '),
    ],
  }
}

/** `09:30:12 POST /api/upload: 201, 14 ms, 412 B, 10 units, account1@emulator.test`. */
function requestLine(request: Omit<ServedRequest, 'headers' | 'answer_headers'>): string {
  const { method, path, status, duration_ms, bytes, cost, account, fault } = request
  const at = Date.parse(request.at)
  const facts = [
    status ?? 'no answer',
    `${duration_ms} ms`,
    ...(bytes === null ? [] : [formatByteSize(bytes)]),
    counted(cost, 'unit'),
    printable(account ?? 'no account'),
    ...(fault === null ? [] : [`fault: ${printable(fault)}`]),
  ]
  return `${formatClockTime(at, at, { seconds: true })} ${printable(method)} ${printable(path)}: ${facts.join(', ')}`
}
