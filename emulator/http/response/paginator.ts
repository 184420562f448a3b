import type { PageLink, UploadPage } from '../../../src/protocol/resources.ts'
import type { Settings } from '../../settings/settings.ts'
import { jsonText } from './reply.ts'

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
  /** What the items' own links begin with. */
  readonly siteUrl: string
  readonly settings: Settings
}

/** The last page's number, at least 1. */
export function lastPageOf(total: number, perPage: number): number {
  return Math.max(Math.ceil(total / perPage), 1)
}

/** The paginator object, its fields in the order of the spec (spec 2.2); a page beyond the last is empty. */
export function paginate<Item>(page: PageOf<Item>): Omit<UploadPage, 'data'> & { readonly data: readonly Item[] } {
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

/** Beyond these many pages, what is remembered is forgotten. */
const mostWritten = 20

/** Writes pages as JSON; one whose items are the same, and is asked for again, is not written again. */
export function createPageWriter<Item>(write: (item: Item, page: PageOf<Item>) => string) {
  const written = new Map<Item | undefined, { readonly page: PageOf<Item>; readonly json: string }>()
  return (page: PageOf<Item>): string => {
    const known = written.get(page.items[0])
    if (known !== undefined && areEqual(page, known.page)) return known.json
    if (written.size >= mostWritten) written.clear()
    const { current_page, data, ...others } = paginate(page)
    const items = data.map((item) => write(item, page)).join(',')
    const json = `{"current_page":${current_page},"data":[${items}],${jsonText(others, page.settings.json_style).slice(1)}`
    written.set(page.items[0], { page, json })
    return json
  }
}

function areEqual<Item>(one: PageOf<Item>, other: PageOf<Item>): boolean {
  if (one.settings !== other.settings || one.page !== other.page || one.perPage !== other.perPage) return false
  if (one.total !== other.total || one.siteUrl !== other.siteUrl || one.path !== other.path) return false
  return one.query === other.query && one.items.every((item, index) => item === other.items[index])
}

interface Navigation {
  readonly current: number
  readonly lastPage: number
  readonly urlOf: (page: number) => string
  readonly settings: Settings
}

/** Links to the previous page, the pages at both ends and around the current one, and the next page (spec 2.2). */
export function pageLinks({ current, lastPage, urlOf, settings }: Navigation): readonly PageLink[] {
  const labels = endLabels[settings.link_labels]
  const link = (page: number | null, label: string, active = false): PageLink => {
    const url = page === null ? null : urlOf(page)
    return settings.links_page_key ? { url, label, ...{ page }, active } : { url, label, active }
  }
  return [
    link(current > 1 ? current - 1 : null, labels.previous),
    ...pageWindow(current, lastPage).map((page) =>
      page === '...' ? { url: null, label: page, active: false } : link(page, String(page), page === current),
    ),
    link(current < lastPage ? current + 1 : null, labels.next),
  ]
}

const endLabels: Readonly<Record<Settings['link_labels'], { readonly previous: string; readonly next: string }>> = {
  unicode: { previous: '« Previous', next: 'Next »' },
  html_entities: { previous: '&laquo; Previous', next: 'Next &raquo;' },
}

/** Pages shown on each side of the current one. */
const onEachSide = 3

/** A current page this close to an end is linked to that end without a gap. */
const nearEnd = onEachSide + 4

function pageWindow(current: number, last: number): readonly (number | '...')[] {
  if (last < 2 * onEachSide + 8) return range(1, last)
  const start = range(1, 2)
  const end = range(last - 1, last)
  if (current <= nearEnd) return [...range(1, nearEnd + onEachSide), '...', ...end]
  if (current > last - nearEnd) return [...start, '...', ...range(last - (nearEnd + onEachSide - 1), last)]
  return [...start, '...', ...range(current - onEachSide, current + onEachSide), '...', ...end]
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
