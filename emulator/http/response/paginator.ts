import type { UploadPage } from '../../../src/protocol/resources.ts'
import { type LinkSettings, pageLinks } from './page-links.ts'

/** One page of a list. */
export interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly page: number
  readonly perPage: number
  readonly total: number
  /** The list's absolute URL without a query. */
  readonly path: string
  /** The query that page URLs repeat: empty, or `name=value&`. */
  readonly query: string
  readonly settings: LinkSettings
}

/** The last page's number, at least 1. */
export function lastPageOf(total: number, perPage: number): number {
  return Math.max(Math.ceil(total / perPage), 1)
}

/** The paginator object, its fields in the order of the spec (spec 2.2); a page beyond the last is empty. */
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
