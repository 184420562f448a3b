import { ReadableStream } from 'node:stream/web'
import { isUint8Array } from 'node:util/types'
import { invalidValue } from '../../../src/checks/coded-error.ts'
import type { HttpReply, ReplyBody } from '../../http-types.ts'
import { ConnectionResetError } from '../request/request-body.ts'
import { hasNoBody, reasonPhrase } from '../response/reply.ts'
import { type FetchCall, partsOf } from './fetch-call.ts'

/**
 * The reply as a `Response` of the environment of this moment, with the address that was asked.
 * @throws TypeError if the environment has no `Response`
 */
export function toResponse(
  { status, headers, body }: HttpReply,
  { url, signal }: FetchCall,
  isRedirected: boolean,
): Response {
  if (typeof Response !== 'function') throw invalidValue(noResponse)
  const init = { status, statusText: reasonPhrase(status), headers }
  const response = new Response(hasNoBody(status) ? null : bodyInit(body, signal), init)
  Object.defineProperty(response, 'url', { value: partsOf(url.href).shown, configurable: true, enumerable: true })
  if (isRedirected) Object.defineProperty(response, 'redirected', { value: true, configurable: true })
  return response
}

const noResponse =
  'This environment has no Response, so emulator.fetch has nothing to answer with: for Jest with jsdom set ' +
  "testEnvironment: 'jest-fixed-jsdom'"

function bodyInit(body: ReplyBody, signal: AbortSignal | undefined) {
  if (body === null || typeof body === 'string') return body
  return isUint8Array(body) ? Uint8Array.from(body) : streamOf(body, signal)
}

/** A stream that reads its source only on demand and closes it when the reader is done. */
function streamOf(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  const finished = new AbortController()
  const close = async () => {
    finished.abort()
    await iterator.return?.()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(stream) {
        if (signal === undefined) return
        const stop = () => {
          stream.error(signal.reason)
          void close().catch(() => {})
        }
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { signal: finished.signal })
      },
      async pull(stream) {
        const { done, value } = await iterator.next().catch((error: unknown) => {
          finished.abort()
          throw error instanceof ConnectionResetError ? new TypeError('terminated', { cause: error }) : error
        })
        if (done !== true) return stream.enqueue(value)
        finished.abort()
        stream.close()
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}
