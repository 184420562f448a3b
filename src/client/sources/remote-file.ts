import { steadyMs } from '../../clock.ts'
import { BrokenOffError, SourceError } from '../errors.ts'
import {
  announcedSize,
  callSite,
  discard,
  type FileRequestOptions,
  foreignEncoding,
  plainUrl,
  siteUnreachable,
} from '../site/file-request.ts'
import { TransportError, type TransportResponse } from '../transports/transport.ts'
import { nameInUrl, type OpenSource, openStreamSource } from './local-source.ts'

export interface RemoteFileOptions extends FileRequestOptions {
  /** The file name. Default: that in the URL. */
  readonly name?: string | undefined
}

/** An answer waits this long for its upload, which may wait for quota: sites close connections on which nothing moves. */
const HELD_MS = 10_000

/**
 * A file at an http or https URL whose first bytes have come. The rest comes while it is read; each further read asks for
 * the file again.
 */
export interface RemoteFile extends OpenSource {
  /** Takes the whole file, and takes it again from its beginning where the site breaks off. */
  whole<T>(take: () => Promise<T>): Promise<T>
}

/**
 * Asks for a file, without the key.
 * @throws SourceError if the site does not give it, or answers with something else; UnexpectedResponseError for redirects
 * that are not followed; `signal.reason` when aborted
 */
export async function openRemoteFile(url: string, options: RemoteFileOptions): Promise<RemoteFile> {
  const { clock, signal, name = nameInUrl(url) } = options
  const [size, first] = await ask(url, options, async (response) => {
    const begun = await openStreamSource({ stream: chunksOf(url, response), name }, signal)
    return [announcedSize(response), begun] as const
  })
  let held: OpenSource | undefined = first
  const heldUntil = steadyMs(clock) + HELD_MS

  async function* read() {
    const begun = held
    held = undefined
    if (begun !== undefined && steadyMs(clock) <= heldUntil) return yield* begun.read()
    begun?.close()
    const response = await ask(url, options, async (answer) => answer)
    if (announcedSize(response) !== size) {
      await discard(response)
      throw new SourceError('changed', `GET ${plainUrl(url)} answered with another size than before`, {
        hint: 'Nothing was stored; upload it again',
      })
    }
    yield* chunksOf(url, response)
  }
  return {
    name: first.name,
    size,
    head: first.head,
    again: 'from its site',
    read,
    whole: async <T>(take: () => Promise<T>) =>
      await callSite<T>(url, options, {
        send: async () => ({ answer: { status: 200, headers: {} }, value: await take() }),
        unanswered: (_, error) => error,
      }),
    close() {
      held?.close()
      held = undefined
    },
  }
}

/** @param begin reads what is needed at once: where the site breaks off meanwhile, it is asked again */
async function ask<T>(
  url: string,
  options: RemoteFileOptions,
  begin: (answer: TransportResponse) => Promise<T>,
): Promise<T> {
  return await callSite<T>(url, options, {
    async send(get) {
      const answer = await get()
      const error = await refusalOf(url, answer)
      return error === undefined ? { answer, value: await begin(answer) } : { answer, error }
    },
    unanswered(cause, error) {
      if (error instanceof BrokenOffError) return error
      const { request, message } = siteUnreachable(url, cause)
      return new SourceError('unreadable', message, { request, cause })
    },
  })
}

/** Not the errors of calls: they would pass for what the service says of the key, the account and the list. */
async function refusalOf(url: string, response: TransportResponse): Promise<SourceError | undefined> {
  const { status } = response
  const encoding = foreignEncoding(response)
  if (status === 200 && encoding === undefined) return undefined
  await discard(response)
  const path = plainUrl(url)
  const isGone = status === 404 || status === 410
  const what = status === 200 ? `with ${encoding} bytes instead of the file's own` : 'without the file'
  const hint =
    status === 429 || status >= 500 ? 'Try again later' : 'Check the address, or download it with your browser'
  return new SourceError(isGone ? 'missing' : 'unreadable', `GET ${path} answered ${status}, ${what}`, {
    request: { method: 'GET', path },
    status,
    hint,
  })
}

/** Not with the transport's own errors: they would pass for those of the upload. */
async function* chunksOf(url: string, { body }: TransportResponse): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    const hint = 'Nothing was stored; upload it again'
    throw new BrokenOffError('unreadable', `GET ${plainUrl(url)} broke off: ${error.message}`, { cause: error, hint })
  }
}
