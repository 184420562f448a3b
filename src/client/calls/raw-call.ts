import { invalidValue } from '../../checks/coded-error.ts'
import { checkOptions } from '../../checks/options.ts'
import { isPlain, kindOf, quoted } from '../../checks/quoted.ts'
import type { AttemptBody } from '../attempt.ts'
import type { Caller } from '../caller.ts'
import { requestOptions } from '../option-checks.ts'
import type { RawResponse, RequestOptions } from '../options.ts'
import { notTheService } from '../response.ts'
import { bytesOf } from '../sources/stream-chunks.ts'

/** Sends any call below the base URL and returns its answer, with any status. A POST is not sent again. */
export async function sendRaw(
  caller: Caller,
  givenMethod: string,
  path: string,
  options: RequestOptions = {},
): Promise<RawResponse> {
  checkOptions('client.request', options, requestOptions)
  const method = matching(/^[A-Za-z]+$/, givenMethod) ? givenMethod.toUpperCase() : undefined
  if (method === undefined) throw invalidValue(`A method is one word, as GET: ${quoted(givenMethod)}`)
  if (!matching(/^\/(?!\/)/, path)) throw invalidValue(`A path begins with one /, as /api/stats: ${quoted(path)}`)
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

function matching(pattern: RegExp, given: unknown): boolean {
  return typeof given === 'string' && pattern.test(given)
}

function rawBody({ body, contentType }: RequestOptions): AttemptBody {
  const raw = typeof body === 'string' ? Buffer.from(body) : bytesOf(body)
  const bytes = raw ?? Buffer.from(json(body))
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

/** @throws TypeError for what JSON cannot show, such as a form, a file or a stream */
function json(body: unknown): string {
  try {
    const text = isShown(body) ? JSON.stringify(body) : undefined
    if (text !== undefined) return text
  } catch (error) {
    throw invalidValue(`The body of client.request cannot be written as JSON: ${quoted(String(error))}`, error)
  }
  throw invalidValue(`The body of client.request takes text, bytes or JSON, but got ${kindOf(body)}`)
}

function isShown(body: unknown): boolean {
  if (isPlain(body) || 'toJSON' in Object(body)) return true
  return Object.keys(Object(body)).length > 0 && !(Symbol.asyncIterator in Object(body))
}
