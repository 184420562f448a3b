import { endpoints, uploadPath } from '../../protocol/endpoints.ts'
import {
  parseStats,
  parseUploadEnvelope,
  parseUploadPage,
  type Upload,
  type UploadPage,
} from '../../protocol/resources.ts'
import { type Caller, parsed } from '../caller.ts'
import type { Client } from '../options.ts'
import { createPageWatch } from '../page-watch.ts'

/** The calls that only read. */
export function createReadCalls(caller: Caller): Pick<Client, 'list' | 'uploads' | 'show' | 'stats'> {
  async function list({ page = 1, signal }: { page?: number; signal?: AbortSignal } = {}): Promise<UploadPage> {
    if (!Number.isInteger(page) || page < 1) throw new RangeError(`A page is a whole number from 1, not ${page}`)
    const path = page === 1 ? endpoints.list.path : `${endpoints.list.path}?page=${page}`
    return await caller.call({ ...endpoints.list, path, signal, read: parsed(parseUploadPage) })
  }
  return {
    list,
    uploads: (options = {}) => eachUpload((page) => list({ ...options, page })),
    show: async (slug, { signal } = {}) =>
      await caller.call({ ...endpoints.show, path: uploadPath(slug), signal, read: parsed(parseUploadEnvelope) }),
    stats: async ({ signal } = {}) => await caller.call({ ...endpoints.stats, signal, read: parsed(parseStats) }),
  }
}

/**
 * Skips uploads seen before: pages are numbered from the newest, so a new upload pushes others onto the next page.
 * @throws UnexpectedResponseError for a list without an end
 */
async function* eachUpload(readPage: (page: number) => Promise<UploadPage>): AsyncGenerator<Upload, void, undefined> {
  const watch = createPageWatch<Upload>(({ slug }) => slug)
  for (let number = 1; ; number += 1) {
    const page = await readPage(number)
    yield* watch.take(page.data, page.last_page)
    // A service without pages answers with another page than the one asked for.
    if (page.data.length === 0 || number >= page.last_page || page.current_page < number) return
    watch.assertEnds()
  }
}
