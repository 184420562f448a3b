import { invalidValue, isPlain, kindOf, quoted } from '../../checks/coded-error.ts'
import { checkOptions } from '../../checks/options.ts'
import { endpoints, uploadPath } from '../../protocol/endpoints.ts'
import { parseStats, parseUploadEnvelope, parseUploadPage } from '../../protocol/resources.ts'
import { type AttemptBody, type Caller, type CallResult, parsed } from '../call.ts'
import { assertDeleted, fromCache, notTheService } from '../call-errors.ts'
import { assertPage, eachPage } from '../each-page.ts'
import { NotFoundError } from '../errors.ts'
import type { SeenPage } from '../exactly-once/reconcile.ts'
import {
  type CallOptions,
  type Client,
  callOptions,
  checkSlug,
  type ListOptions,
  listOptions,
  type RawResponse,
  type RequestOptions,
  requestOptions,
} from '../options.ts'
import { bytesOf } from '../sources/local-source.ts'

/**
 * The calls that only read.
 * @param isProof whether `list` and `show` prove that an upload is there, or is not: a cache may not have kept their answer
 * @returns `look`: reads a page of the list, and says what puts it in doubt
 */
export function readCalls(call: Caller, isProof = false) {
  async function look({ page = 1, signal }: ListOptions): Promise<SeenPage> {
    const path = page === 1 ? endpoints.list.path : `${endpoints.list.path}?page=${page}`
    const read = (result: CallResult) => ({
      page: parsed(parseUploadPage)(result),
      doubt: result.isOld ? fromCache(result.answer, result.context) : undefined,
    })
    return await call({ ...endpoints.list, path, signal, isProof, read })
  }
  const reads: Pick<Client, 'list' | 'uploads' | 'show' | 'stats'> = {
    async list(options = {}) {
      checkOptions('client.list', options, listOptions)
      const { page } = await look(options)
      if (isProof) assertPage(options.page ?? 1, page)
      return page
    },
    uploads(options = {}) {
      checkOptions('client.uploads', options, callOptions)
      const pages = eachPage((page) => reads.list({ ...options, page }))
      return (async function* () {
        for await (const page of pages) yield* page
      })()
    },
    async show(slug, options = {}) {
      checkSlug('client.show', slug)
      checkOptions('client.show', options, callOptions)
      const target = { ...endpoints.show, path: uploadPath(slug) }
      return await call({ ...target, signal: options.signal, isProof, read: parsed(parseUploadEnvelope) })
    },
    async stats(options = {}) {
      checkOptions('client.stats', options, callOptions)
      return await call({ ...endpoints.stats, signal: options.signal, read: parsed(parseStats) })
    },
  }
  return { reads, look }
}

/** Deletes one upload (spec 4.4). Where an earlier attempt may have deleted it, a 404 is a success. */
export async function deleteUpload(call: Caller, slug: string, options: CallOptions = {}): Promise<void> {
  checkSlug('client.delete', slug)
  checkOptions('client.delete', options, callOptions)
  const read = ({ answer, context, refusal, interrupted }: CallResult) => {
    try {
      if (refusal !== undefined) throw refusal
      assertDeleted(answer, context)
    } catch (error) {
      if (!(interrupted && error instanceof NotFoundError)) throw error
    }
  }
  await call({ method: endpoints.delete.method, path: uploadPath(slug), signal: options.signal, read })
}

/** Sends any call below the base URL and returns its answer, with any status. A POST is not sent again. */
export async function sendRaw(
  call: Caller,
  givenMethod: string,
  path: string,
  options: RequestOptions = {},
): Promise<RawResponse> {
  checkOptions('client.request', options, requestOptions)
  const method = matching(/^[A-Za-z]+$/, givenMethod) ? givenMethod.toUpperCase() : undefined
  if (method === undefined) throw invalidValue(`A method is one word, as GET: ${quoted(givenMethod)}`)
  if (!matching(/^\/(?!\/)/, path)) throw invalidValue(`A path begins with one /, as /api/stats: ${quoted(path)}`)
  const body = options.body === undefined ? undefined : rawBody(options)
  return await call({
    method,
    path,
    isRepeatable: /^(GET|HEAD|DELETE|PUT|OPTIONS)$/.test(method),
    body: body && (() => body),
    signal: options.signal,
    onEvent: options.onEvent,
    read({ answer, context, refusal }) {
      if (answer.excess !== undefined) throw notTheService(answer, context)
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
  return {
    contentType: contentType ?? (raw ? 'application/octet-stream' : 'application/json'),
    length: bytes.length,
    chunks: async function* () {
      yield bytes
    },
    finished: () => true,
    failure: () => undefined,
  }
}

/** @throws TypeError for what JSON does not show whole, such as a form, a file, a stream or a circle */
function json(body: unknown): string {
  if (isPlain(body)) return JSON.stringify(body)
  throw invalidValue(`The body of client.request takes text, bytes or JSON, but got ${kindOf(body)}`)
}
