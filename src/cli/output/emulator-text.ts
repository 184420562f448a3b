import { printable } from '../format/format.ts'

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

/** @param signIn to its website; no password if an earlier run or the seed chose it */
export function readyLines(
  { base_url, api_key, control_url, control_token, site_url }: EmulatorReady,
  variables: Readonly<Record<string, string>>,
  signIn: { readonly email: string; readonly password?: string } | undefined,
  isBrief: boolean,
): readonly string[] {
  const token = control_token === undefined ? [] : [`Control token, for other machines: ${control_token}`]
  const start = [`The emulator is ready at ${base_url}`, ...token]
  if (isBrief) return start
  // A generated password is told apart, on stderr.
  const isTold = control_token === undefined && signIn?.password !== undefined
  const password = isTold ? `, password ${signIn.password}` : ''
  const exported = Object.entries({ FH_BASE_URL: base_url, FH_API_KEY: api_key, ...variables })
  return [
    ...start,
    `API key: ${api_key}`,
    `Control: ${control_url}`,
    `Dashboard: ${control_url}/ui`,
    ...(signIn ? [`Website: ${site_url}/login, email ${printable(signIn.email)}${password}`] : []),
    '',
    `export ${exported.map(([name, value]) => `${name}=${value}`).join(' ')}`,
  ]
}
