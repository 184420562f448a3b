import { steadyMs } from '../../clock.ts'
import { BrokenOffError, SourceError } from '../errors.ts'
import {
  announcedSize,
  callSite,
  discard,
  type FileRequestOptions,
  foreignBytes,
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
export class RemoteFile implements OpenSource {
  readonly again = 'from its site'
  /** Undefined if the URL's path ends without a name. */
  readonly name: string | undefined
  /** Undefined if the site does not tell. */
  readonly size: number | undefined
  readonly head: Uint8Array
  readonly #url: string
  readonly #options: RemoteFileOptions
  readonly #heldUntil: number
  #held: OpenSource | undefined

  private constructor(url: string, size: number | undefined, held: OpenSource, options: RemoteFileOptions) {
    this.name = held.name
    this.size = size
    this.head = held.head
    this.#url = url
    this.#options = options
    this.#held = held
    this.#heldUntil = steadyMs(options.clock) + HELD_MS
  }

  /**
   * Asks for a file, without the key.
   * @throws SourceError if the site does not give it, or answers with something else; UnexpectedResponseError for redirects
   * that are not followed; `signal.reason` when aborted
   */
  static async open(url: string, options: RemoteFileOptions): Promise<RemoteFile> {
    const name = options.name ?? nameInUrl(url)
    return await ask(url, options, async (response) => {
      const held = await openStreamSource({ stream: chunksOf(url, response), name }, options.signal)
      return new RemoteFile(url, announcedSize(response), held, options)
    })
  }

  async *read(): AsyncGenerator<Uint8Array> {
    const held = this.#held
    this.#held = undefined
    if (held !== undefined && steadyMs(this.#options.clock) <= this.#heldUntil) return yield* held.read()
    held?.close()
    const response = await ask(this.#url, this.#options, async (answer) => answer)
    const size = announcedSize(response)
    if (size !== this.size) {
      await discard(response)
      throw new SourceError('changed', `GET ${plainUrl(this.#url)} answered with another size than before`, {
        hint: 'Nothing was stored; upload it again',
      })
    }
    yield* chunksOf(this.#url, response)
  }

  /** Takes the whole file, and takes it again from its beginning where the site breaks off. */
  async whole<T>(take: () => Promise<T>): Promise<T> {
    return await callSite<T>(this.#url, this.#options, {
      send: async () => ({ answer: { status: 200, headers: {} }, value: await take() }),
      unanswered: (_, error) => error,
    })
  }

  close(): void {
    this.#held?.close()
    this.#held = undefined
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
    unanswered: (cause, error) => (error instanceof BrokenOffError ? error : unreachable(url, cause)),
  })
}

/** Not the errors of calls: they would pass for what the service says of the key, the account and the list. */
async function refusalOf(url: string, response: TransportResponse): Promise<SourceError | undefined> {
  const { status } = response
  const encoding = foreignEncoding(response)
  if (status === 200 && encoding === undefined) return undefined
  await discard(response)
  const path = plainUrl(url)
  const details = { request: { method: 'GET', path }, status }
  if (encoding !== undefined && status === 200) {
    const [message, { hint }] = foreignBytes(url, encoding)
    return new SourceError('unreadable', message, { ...details, hint })
  }
  const isGone = status === 404 || status === 410
  const hint =
    status === 429 || status >= 500 ? 'Try again later' : 'Check the address, or download it with your browser'
  return new SourceError(isGone ? 'missing' : 'unreadable', `GET ${path} answered ${status}, without the file`, {
    ...details,
    hint,
  })
}

function unreachable(url: string, cause: TransportError): SourceError {
  const { request, message } = siteUnreachable(url, cause)
  return new SourceError('unreadable', message, { request, cause })
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
