import { isUint8Array } from 'node:util/types'
import { invalidValue } from '../../checks/coded-error.ts'
import type { AttemptBody } from '../attempt.ts'
import type { Caller } from '../caller.ts'
import type { RawResponse, RequestOptions } from '../options.ts'
import { notTheService } from '../response.ts'

/** Sends any call below the base URL and returns its answer, with any status. A POST is not sent again. */
export async function sendRaw(
  caller: Caller,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<RawResponse> {
  if (!/^[A-Z]+$/.test(method)) throw invalidValue(`A method is one word, as GET: ${method}`)
  if (!path.startsWith('/') || path.startsWith('//'))
    throw invalidValue(`A path begins with one /, as /api/stats: ${path}`)
  const body = options.body === undefined ? undefined : rawBody(options)
  return await caller.call({
    method,
    path,
    isRepeatable: /^(GET|HEAD|DELETE|PUT|OPTIONS)$/.test(method),
    body: body && (() => body),
    signal: options.signal,
    onEvent: options.onEvent,
    read({ answer, context, refusal }) {
      if (answer.isTooLong || answer.isTooDeep) throw notTheService(answer, context)
      const { status, headers, text, json } = answer
      return { status, headers, body: json ?? text, text, error: refusal }
    },
  })
}

function rawBody({ body, contentType }: RequestOptions): AttemptBody {
  const raw = typeof body === 'string' || isUint8Array(body)
  const bytes = Buffer.from(raw ? body : JSON.stringify(body))
  const defaultType = raw ? 'application/octet-stream' : 'application/json'
  return {
    contentType: contentType ?? defaultType,
    length: bytes.length,
    chunks: async function* () {
      yield bytes
    },
    finished: () => true,
    failure: () => undefined,
  }
}
