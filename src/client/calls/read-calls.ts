import { checkOptions } from '../../checks/options.ts'
import { endpoints, uploadPath } from '../../protocol/endpoints.ts'
import {
  parseStats,
  parseUploadEnvelope,
  parseUploadPage,
  type Upload,
  type UploadPage,
} from '../../protocol/resources.ts'
import { type Caller, type CallResult, parsed } from '../caller.ts'
import { assertPage, eachPage } from '../each-page.ts'
import type { NoProofError } from '../errors.ts'
import { callOptions, checkSlug, listOptions } from '../option-checks.ts'
import type { CallOptions, Client, ListOptions } from '../options.ts'
import { fromCache } from '../response.ts'

/** The calls that only read. */
type ReadCalls = Pick<Client, 'list' | 'uploads' | 'show' | 'stats'>

/** The same where the answer proves that an upload is there, or is not: a cache may not have kept it. */
type ProvingCalls = Pick<Client, 'list' | 'show'>

/** A page of the list. */
export interface SeenPage {
  readonly page: UploadPage
  /** Why the page does not prove what is not on it: a cache had kept it. */
  readonly doubt: NoProofError | undefined
}

export function createReadCalls(caller: Caller) {
  async function look({ page = 1, signal }: ListOptions, isProof: boolean): Promise<SeenPage> {
    const path = page === 1 ? endpoints.list.path : `${endpoints.list.path}?page=${page}`
    const read = (result: CallResult) => ({
      page: parsed(parseUploadPage)(result),
      doubt: result.isOld ? fromCache(result.answer, result.context) : undefined,
    })
    return await caller.call({ ...endpoints.list, path, signal, isProof, read })
  }
  async function find(slug: string, { signal }: CallOptions, isProof: boolean): Promise<Upload> {
    const path = uploadPath(slug)
    return await caller.call({ ...endpoints.show, path, signal, isProof, read: parsed(parseUploadEnvelope) })
  }
  const reads: ReadCalls = {
    async list(options = {}) {
      checkOptions('client.list', options, listOptions)
      return (await look(options, false)).page
    },
    uploads(options = {}) {
      checkOptions('client.uploads', options, callOptions)
      return each(eachPage((page) => reads.list({ ...options, page })))
    },
    async show(slug, options = {}) {
      checkSlug('client.show', slug)
      checkOptions('client.show', options, callOptions)
      return await find(slug, options, false)
    },
    async stats(options = {}) {
      checkOptions('client.stats', options, callOptions)
      return await caller.call({ ...endpoints.stats, signal: options.signal, read: parsed(parseStats) })
    },
  }
  const proofs: ProvingCalls = {
    async list(options = {}) {
      const { page } = await look(options, true)
      assertPage(options.page ?? 1, page)
      return page
    },
    show: (slug, options = {}) => find(slug, options, true),
  }
  return { reads, proofs, look: (options: ListOptions) => look(options, false) }
}

async function* each<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* page
}
