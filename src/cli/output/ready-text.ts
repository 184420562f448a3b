import type { EmulatorReady } from './events.ts'

interface ReadyTextOptions {
  /** Further environment variables that clients need. */
  readonly variables: Readonly<Record<string, string>>
  /** Whether to leave out the key and the export line. */
  readonly isBrief: boolean
}

/** The address of a started emulator, and how to use it. */
export function readyText(ready: EmulatorReady, { variables, isBrief }: ReadyTextOptions): readonly string[] {
  const { base_url, api_key, control_url, control_token } = ready
  const address = `The emulator is ready at ${base_url}`
  const token = control_token === undefined ? [] : [`Control token, for other machines: ${control_token}`]
  const exported = { FH_BASE_URL: base_url, FH_API_KEY: api_key, ...variables }
  if (isBrief) return [address, ...token]
  return [
    address,
    `API key: ${api_key}`,
    `Control: ${control_url}`,
    ...token,
    '',
    `export ${Object.entries(exported)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  ]
}
