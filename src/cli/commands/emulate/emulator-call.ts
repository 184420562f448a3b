import { nodeTransport, type Transport } from '../../../index.ts'
import { isObject, parseJson } from '../../../system/json.ts'
import type { Context } from '../../run/context.ts'

/** What became of a call of an emulator's control API. */
export type EmulatorAnswer =
  | { readonly type: 'answered'; readonly body: Readonly<Record<string, unknown>> }
  /** It is an emulator, and would not do it. */
  | { readonly type: 'refused'; readonly message: string; readonly hint: string | undefined }
  /** Something answers that is no emulator. */
  | { readonly type: 'foreign'; readonly status: number }
  | { readonly type: 'silent'; readonly error: Error }

export interface EmulatorCallOptions {
  /** How long nothing may move. */
  readonly idleTimeoutMs: number
  /** Needed from another machine. */
  readonly token?: string | undefined
}

/** A way to the control API of emulators; it trusts the certificate authorities the run was given. */
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

/** Any HTTP server may answer anything: an emulator is known by the form of its answers. */
function judge(status: number, body: unknown): EmulatorAnswer {
  if (!isObject(body)) return { type: 'foreign', status }
  if (status === 200) return { type: 'answered', body }
  const { error } = body
  if (!isObject(error) || typeof error['code'] !== 'string') return { type: 'foreign', status }
  const hint = typeof error['hint'] === 'string' ? error['hint'] : undefined
  return { type: 'refused', message: String(error['message']), hint }
}
