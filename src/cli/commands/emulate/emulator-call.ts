import { nodeTransport, type Transport } from '../../../index.ts'
import { isObject, parseJson } from '../../../system/json.ts'
import type { Context } from '../../run/context.ts'

/** The result of a call to an emulator's control API. */
export type EmulatorAnswer =
  | { readonly type: 'answered'; readonly body: Readonly<Record<string, unknown>> }
  /** An emulator refused the call. */
  | { readonly type: 'refused'; readonly message: string; readonly hint: string | undefined }
  /** The server is not an emulator. */
  | { readonly type: 'foreign'; readonly status: number }
  | { readonly type: 'silent'; readonly error: Error }

export interface EmulatorCallOptions {
  /** The longest time without a byte. */
  readonly idleTimeoutMs: number
  /** The control token; required from another machine. */
  readonly token?: string | undefined
}

/** Makes a function that calls the control API, trusting the certificate authorities of the settings. */
export async function createEmulatorCall(context: Context, { idleTimeoutMs, token }: EmulatorCallOptions) {
  const settings = context.settings()
  const ca = settings.ca_cert && (await (await import('../../config/ca-file.ts')).readCa(settings))
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
