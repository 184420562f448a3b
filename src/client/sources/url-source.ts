import { connectionError } from '../attempt-errors.ts'
import { discard, type FileRequestOptions, plainUrl, requestFile } from '../calls/file-request.ts'
import { SourceError } from '../errors.ts'
import { TransportError, type TransportResponse } from '../transports/transport.ts'
import type { StreamSource } from './stream-source.ts'

/**
 * Asks for a file at an http or https URL, without the key, to upload its bytes as they come.
 * @throws SourceError if the answer is not 200 or breaks off; ConnectionError or TimeoutError without an answer
 */
export async function openUrl(url: string, options: FileRequestOptions): Promise<StreamSource> {
  const response = await ask(url, options)
  const { status, headers } = response
  if (status !== 200) {
    await discard(response)
    const problem = status === 404 || status === 410 ? 'missing' : 'unreadable'
    throw new SourceError(problem, `GET ${plainUrl(url)} answered ${status}: there is no file to upload`)
  }
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined
  const size = length !== undefined && /^\d+$/.test(length) ? { size: Number(length) } : {}
  return { stream: chunksOf(url, response), ...size, name: nameIn(url) }
}

async function ask(url: string, options: FileRequestOptions): Promise<TransportResponse> {
  try {
    return await requestFile(url, { bytes: 0 }, 1, options)
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    const { origin } = new URL(url)
    throw connectionError(error, {
      request: { method: 'GET', path: plainUrl(url) },
      url: plainUrl(url),
      server: origin,
    })
  }
}

/** Not with the transport's own errors: they would pass for those of the upload. */
async function* chunksOf(url: string, { body }: TransportResponse): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    const hint = 'Nothing was stored; upload it again'
    throw new SourceError('unreadable', `GET ${plainUrl(url)} broke off: ${error.message}`, { cause: error, hint })
  }
}

/** The last part of the path; the upload's own name is made from the type if there is none. */
function nameIn(url: string): string {
  const name = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
