import { checkOptions } from '../../checks/options.ts'
import { endpoints, uploadPath } from '../../protocol/endpoints.ts'
import {
  parseStats,
  parseUploadEnvelope,
  parseUploadPage,
  type Stats,
  type Upload,
  type UploadPage,
} from '../../protocol/resources.ts'
import { type Caller, parsed } from '../caller.ts'
import { eachPage } from '../each-page.ts'
import { callOptions, checkSlug, listOptions } from '../option-checks.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ListOptions extends CallOptions {
  /** Default: 1, the newest uploads. */
  readonly page?: number | undefined
}

/** The calls that only read. */
export interface ReadCalls {
  /** One page of the list, newest first (spec 4.2): 1 unit. Default: page 1. */
  list(options?: ListOptions): Promise<UploadPage>
  /**
   * All uploads, newest first, one page at a time: 1 unit a page. Yields each slug once, and misses none that stays, though
   * pages shift meanwhile: where uploads are deleted while it reads, pages are read again.
   * @throws UnexpectedResponseError, after the last upload, where so many were deleted meanwhile that some may be missing;
   * and for a list without an end
   */
  uploads(options?: CallOptions): AsyncGenerator<Upload, void, undefined>
  /** One upload (spec 4.3): 1 unit. @throws NotFoundError */
  show(slug: string, options?: CallOptions): Promise<Upload>
  /** The account's statistics (spec 4.5): 1 unit. */
  stats(options?: CallOptions): Promise<Stats>
}

export function createReadCalls(caller: Caller): ReadCalls {
  const list: ReadCalls['list'] = async (options = {}) => {
    checkOptions('client.list', options, listOptions)
    const { page = 1, signal } = options
    const path = page === 1 ? endpoints.list.path : `${endpoints.list.path}?page=${page}`
    return await caller.call({ ...endpoints.list, path, signal, read: parsed(parseUploadPage) })
  }
  return {
    list,
    uploads(options = {}) {
      checkOptions('client.uploads', options, callOptions)
      return each(eachPage((number) => list({ ...options, page: number })))
    },
    async show(slug, options = {}) {
      checkSlug('client.show', slug)
      checkOptions('client.show', options, callOptions)
      const { signal } = options
      return await caller.call({ ...endpoints.show, path: uploadPath(slug), signal, read: parsed(parseUploadEnvelope) })
    },
    async stats(options = {}) {
      checkOptions('client.stats', options, callOptions)
      return await caller.call({ ...endpoints.stats, signal: options.signal, read: parsed(parseStats) })
    },
  }
}

async function* each<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* page
}
