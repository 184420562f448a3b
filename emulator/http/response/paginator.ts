import type { UploadPage } from '../../../src/protocol/resources.ts'
import { type LinkSettings, pageLinks } from './page-links.ts'

/** One page's worth of things out of many. */
export interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly page: number
  readonly perPage: number
  readonly total: number
  /** The absolute URL of the list, without a query. */
  readonly path: string
  /** What page URLs repeat of the request's query: nothing, or `name=value&`. */
  readonly query: string
  readonly settings: LinkSettings
}

/** The number of the last page; there always is a first. */
export function lastPageOf(total: number, perPage: number): number {
  return Math.max(Math.ceil(total / perPage), 1)
}

/** The paginator object with its fields in the order of the wire (spec 2.2); a page beyond the last has no items. */
export function paginate(page: PageOf<UploadPage['data'][number]>): UploadPage {
  const { items, page: current, perPage, total, path, query, settings } = page
  const lastPage = lastPageOf(total, perPage)
  const urlOf = (number: number) => `${path}?${query}page=${number}`
  const first = items.length === 0 ? null : (current - 1) * perPage + 1
  return {
    current_page: current,
    data: items,
    first_page_url: urlOf(1),
    from: first,
    last_page: lastPage,
    last_page_url: urlOf(lastPage),
    links: pageLinks({ current, lastPage, urlOf, settings }),
    next_page_url: current < lastPage ? urlOf(current + 1) : null,
    path,
    per_page: perPage,
    prev_page_url: current > 1 ? urlOf(current - 1) : null,
    to: first === null ? null : first + items.length - 1,
    total,
  }
}
