import { checkOptions } from '../../checks/options.ts'
import { endpoints, uploadPath } from '../../protocol/endpoints.ts'
import { parseStats, parseUploadEnvelope, parseUploadPage } from '../../protocol/resources.ts'
import { type Caller, parsed } from '../caller.ts'
import { eachPage } from '../each-page.ts'
import { callOptions, checkSlug, listOptions } from '../option-checks.ts'
import type { Client } from '../options.ts'

/** The calls that only read. */
type ReadCalls = Pick<Client, 'list' | 'uploads' | 'show' | 'stats'>

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
