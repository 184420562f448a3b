import { counted } from '../../protocol/quantities.ts'
import { formatByteSize, formatClockTime, printable } from '../format/format.ts'
import type { CliEvent, ServedRequest, Verbosity } from './events.ts'
import type { Palette } from './terminal/color.ts'
import { headerLines } from './wait-text.ts'

type EmulatorStarted = Extract<CliEvent, { readonly type: 'emulator-ready' }>

/**
 * The address of a started emulator, and how to use it.
 * @param isBrief whether to leave out the key, the export line and what everyone knows
 */
export function readyText({ ready, variables, signIn }: EmulatorStarted, isBrief: boolean): readonly string[] {
  const { base_url, api_key, control_url, control_token, site_url } = ready
  const address = `The emulator is ready at ${base_url}`
  const token = control_token === undefined ? [] : [`Control token, for other machines: ${control_token}`]
  const exported = { FH_BASE_URL: base_url, FH_API_KEY: api_key, ...variables }
  if (isBrief) return [address, ...token]
  // A generated password is told apart, on stderr.
  const password = control_token === undefined ? signIn?.password : undefined
  const website = signIn === undefined ? [] : [signInLine(`${site_url}/login`, signIn.email, password)]
  return [
    address,
    `API key: ${api_key}`,
    `Control: ${control_url}`,
    `Dashboard: ${control_url}/ui`,
    ...token,
    ...website,
    '',
    `export ${Object.entries(exported)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  ]
}

function signInLine(url: string, email: string, password: string | undefined): string {
  const signIn = `Website: ${url}, email ${printable(email)}`
  return password === undefined ? signIn : `${signIn}, password ${password}`
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

/** The same as JSON. */
export function presentRequest({ headers, answer_headers, ...request }: ServedRequest, debug: boolean): object {
  return { type: 'request', ...request, ...(debug && { headers, answer_headers }) }
}

/** `09:30:12 POST /api/upload: 201, 14 ms, 412 B, 10 units, account1@emulator.test`. */
function requestLine(request: ServedRequest, palette: Palette): string {
  const { method, path, bytes, cost, account, fault } = request
  const at = Date.parse(request.at)
  const time = palette.faint(formatClockTime(at, at, { seconds: true }))
  const facts = [
    outcomeText(request, palette),
    `${request.duration_ms.toLocaleString('en')} ms`,
    ...(bytes === null ? [] : [formatByteSize(bytes)]),
    ...(cost === null ? [] : [counted(cost, 'unit'), printable(account ?? 'no account')]),
    ...(fault === null ? [] : [palette.warning(`fault: ${printable(fault)}`)]),
  ]
  return `${time} ${printable(method)} ${printable(path)}: ${facts.join(', ')}`
}

function outcomeText({ status, complete }: ServedRequest, palette: Palette): string {
  if (status === null) return palette.error('no answer')
  const shown = complete ? String(status) : `${status} (cut off)`
  if (status >= 500 || !complete) return palette.error(shown)
  return status >= 400 ? palette.warning(shown) : palette.success(shown)
}
