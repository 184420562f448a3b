import { systemClock } from '../clock.ts'
import { passThroughPacer } from '../pacing/pacer.ts'
import { endpoints, uploadPath } from '../protocol/endpoints.ts'
import {
  parseStats,
  parseUploadEnvelope,
  parseUploadPage,
  type Upload,
  type UploadPage,
} from '../protocol/resources.ts'
import type { AttemptBody } from './attempt.ts'
import { unknownOutcome } from './attempt-errors.ts'
import { parseBaseUrl } from './base-url.ts'
import { NotFoundError } from './errors.ts'
import { createExchange, type Exchange } from './exchange.ts'
import type { CallOptions, Client, ClientOptions, RawResponse, RequestOptions, UploadOptions } from './options.ts'
import { createRedactor } from './redact.ts'
import { assertDeleted, errorOf, isJsonAnswer, isSuccess, parseAnswer } from './response.ts'
import { undiciTransport } from './undici-transport.ts'
import { prepareSource, type UploadSource } from './upload-source.ts'

/**
 * Creates a client of one account.
 *
 * @throws TypeError where the base URL or the key cannot be used; RangeError where a retry option is out of range
 */
export function createClient(options: ClientOptions): Client {
  const transport = options.transport ?? undiciTransport()
  const pacer = options.pacing || passThroughPacer
  const apiKey = checkedKey(options.apiKey)
  const redact = createRedactor(apiKey)
  const exchange = createExchange({
    baseUrl: parseBaseUrl(options.baseUrl, options),
    apiKey,
    transport,
    clock: options.clock ?? systemClock,
    pacer,
    retries: checkedCount('retries', options.retry?.retries ?? 5),
    maxWaitMs: checkedCount('maxWaitMs', options.retry?.maxWaitMs ?? Number.POSITIVE_INFINITY),
    userAgent: options.userAgent,
    report: options.onEvent ?? (() => {}),
    redact,
  })
  return {
    ...createReadCalls(exchange),
    upload: (source, uploadOptions) => uploadOne(exchange, source, uploadOptions),
    delete: (slug, callOptions) => deleteOne(exchange, slug, callOptions),
    request: (method, path, requestOptions) => sendRaw(exchange, method.toUpperCase(), path, requestOptions),
    quota: () => pacer.windows(),
    close: async () => transport.close?.(),
  }
}

async function uploadOne(exchange: Exchange, source: UploadSource, options: UploadOptions = {}): Promise<Upload> {
  const { signal, onProgress, onEvent, maxFileSizeBytes } = options
  const prepared = await prepareSource(source, { maxFileSizeBytes, signal })
  // form-data and its table of types are half of what this library would load: too much for a program that only lists.
  const { createUploadBody } = await import('./upload-body.ts')
  signal?.throwIfAborted()
  const { answer, context } = await exchange.succeed({
    ...endpoints.upload,
    repeatable: 'unless-stored',
    body: () => createUploadBody(prepared, { onProgress, signal }),
    signal,
    onEvent,
  })
  try {
    return parseAnswer(answer, parseUploadEnvelope, context)
  } catch (error) {
    // The service says it stored the file, in words that cannot be read; a page of a website says no such thing.
    if (answer.status !== 201 && !isJsonAnswer(answer)) throw error
    throw unknownOutcome('the answer cannot be read', context, { status: answer.status, cause: error })
  }
}

async function deleteOne(exchange: Exchange, slug: string, { signal }: CallOptions = {}): Promise<void> {
  const { method } = endpoints.delete
  const { answer, context, interrupted } = await exchange.send({ method, path: uploadPath(slug), signal })
  if (isSuccess(answer)) return assertDeleted(answer, context)
  const error = errorOf(answer, context)
  // An earlier attempt may have deleted it before it was cut off: gone is what was asked for.
  if (!(interrupted && error instanceof NotFoundError)) throw error
}

function createReadCalls(exchange: Exchange): Pick<Client, 'list' | 'uploads' | 'show' | 'stats'> {
  async function list({ page = 1, signal }: { page?: number; signal?: AbortSignal } = {}): Promise<UploadPage> {
    if (!Number.isInteger(page) || page < 1) throw new RangeError(`A page is a whole number from 1, not ${page}`)
    const path = page === 1 ? endpoints.list.path : `${endpoints.list.path}?page=${page}`
    const { answer, context } = await exchange.succeed({ ...endpoints.list, path, signal })
    return parseAnswer(answer, parseUploadPage, context)
  }
  return {
    list,
    uploads: (options = {}) => eachUpload((page) => list({ ...options, page })),
    async show(slug, { signal } = {}) {
      const { answer, context } = await exchange.succeed({ ...endpoints.show, path: uploadPath(slug), signal })
      return parseAnswer(answer, parseUploadEnvelope, context)
    },
    async stats({ signal } = {}) {
      const { answer, context } = await exchange.succeed({ ...endpoints.stats, signal })
      return parseAnswer(answer, parseStats, context)
    },
  }
}

/** Pages are numbered from the newest, so an upload made meanwhile pushes others onto the next page: seen ones are skipped. */
async function* eachUpload(readPage: (page: number) => Promise<UploadPage>): AsyncGenerator<Upload, void, undefined> {
  const seen = new Set<string>()
  for (let number = 1, more = true; more; number += 1) {
    const page = await readPage(number)
    for (const upload of page.data) {
      if (seen.has(upload.slug)) continue
      seen.add(upload.slug)
      yield upload
    }
    // A page other than the one asked for is a service without pages.
    more = page.data.length > 0 && number < page.last_page && page.current_page >= number
  }
}

async function sendRaw(
  exchange: Exchange,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<RawResponse> {
  if (!/^[A-Z]+$/.test(method)) throw new TypeError(`A method is one word, as GET: ${method}`)
  if (!path.startsWith('/') || path.startsWith('//'))
    throw new TypeError(`A path begins with one /, as /api/stats: ${path}`)
  const { answer } = await exchange.send({
    method,
    path,
    repeatable: /^(GET|HEAD|DELETE|PUT|OPTIONS)$/.test(method) ? 'always' : 'never',
    body: options.body === undefined ? undefined : () => rawBody(options),
    signal: options.signal,
  })
  return { status: answer.status, headers: answer.headers, body: answer.json ?? answer.text }
}

function rawBody({ body, contentType }: RequestOptions): AttemptBody {
  const raw = typeof body === 'string' || body instanceof Uint8Array
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

function checkedKey(apiKey: string): string {
  const key = apiKey.trim()
  if (key === '') throw new TypeError('The API key is empty')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('The API key must not contain spaces, line breaks or non-ASCII characters')
  return key
}

function checkedCount(name: string, value: number): number {
  if (Number.isNaN(value) || value < 0) throw new RangeError(`${name} must be 0 or more, not ${value}`)
  return value
}
