import { isObject, parseJson } from '../../../checks/json.ts'
import { nodeTransport, type Transport } from '../../../index.ts'
import type { Environment } from '../../../system/environment.ts'
import { readCa } from '../../config/ca-file.ts'
import type { Context } from '../../context/context.ts'
import { usageError } from '../../failures/cli-error.ts'
import { usualPort } from './emulate-options.ts'

/** The argument of the commands that address a running emulator. */
export const emulatorArgument = ['[url]', `its address (FH_EMULATOR_URL, else port ${usualPort} here)`] as const

/**
 * The address of a running emulator: the given URL, which may be that of its control API, else the port on this machine,
 * else FH_EMULATOR_URL, else the default port.
 * @returns scheme, host and port
 * @throws CliError of code `usage`
 */
export function emulatorAddress(url: string | undefined, port: number | undefined, env: Environment): string {
  if (url !== undefined && port !== undefined) throw usageError('Give an address or --port, not both')
  if (url !== undefined) return originOf(url, url)
  if (port !== undefined) return localhost(port)
  const fromEnvironment = env['FH_EMULATOR_URL']
  return fromEnvironment ? originOf(fromEnvironment, `FH_EMULATOR_URL: ${fromEnvironment}`) : localhost(usualPort)
}

function localhost(port: number): string {
  return `http://127.0.0.1:${port}`
}

function originOf(text: string, shown: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isEmulators = url !== undefined && /^https?:$/.test(url.protocol) && /^\/(_emulator\/?)?$/.test(url.pathname)
  if (isEmulators) return url.origin
  throw usageError(`${shown} is not the address of an emulator`, `Write it like ${localhost(usualPort)}`)
}

/** The result of a call to an emulator's control API. */
export type EmulatorAnswer =
  | { readonly type: 'answered'; readonly body: Readonly<Record<string, unknown>> }
  /** An emulator refused the call. */
  | { readonly type: 'refused'; readonly message: string; readonly hint: string | undefined }
  /** The server is not an emulator. */
  | { readonly type: 'foreign'; readonly status: number }
  | { readonly type: 'silent'; readonly error: Error }

/**
 * Makes a function that calls the control API, trusting the certificate authorities of the settings.
 * @param idleTimeoutMs the longest time without a byte
 * @param token the control token; required from another machine
 */
export async function createEmulatorCall(context: Context, idleTimeoutMs: number, token?: string) {
  const ca = await readCa(context.settings())
  const transport = nodeTransport({ idleTimeoutMs, ...(ca !== undefined && { ca }) })
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return (baseUrl: string, path: string, signal: AbortSignal) =>
    ask(transport, { method: 'GET', url: `${baseUrl}/_emulator${path}`, headers, signal })
}

async function ask(transport: Transport, request: Parameters<Transport['send']>[0]): Promise<EmulatorAnswer> {
  try {
    const { status, body } = await transport.send(request)
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    return judge(status, parseJson(Buffer.concat(chunks).toString()))
  } catch (error) {
    request.signal?.throwIfAborted()
    return { type: 'silent', error: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** Any HTTP server may be listening; an emulator is recognised by the form of its answers. */
function judge(status: number, body: unknown): EmulatorAnswer {
  if (!isObject(body)) return { type: 'foreign', status }
  if (status === 200) return { type: 'answered', body }
  const { error } = body
  if (!isObject(error) || typeof error['code'] !== 'string') return { type: 'foreign', status }
  const hint = typeof error['hint'] === 'string' ? error['hint'] : undefined
  return { type: 'refused', message: String(error['message']), hint }
}
