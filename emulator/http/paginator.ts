import type { PageLink, UploadPage } from '../../src/protocol/resources.ts'

/** One page's worth of things out of many. */
export interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly page: number
  readonly perPage: number
  readonly total: number
  /** The absolute URL of the list, without a query. */
  readonly path: string
}

/** The largest page number a 64-bit server reads as a number. */
const largestInteger = 2n ** 63n - 1n

/**
 * Reads the `page` parameter: whole numbers above zero, one plus sign and blanks allowed; everything else, which the
 * spec leaves open (spec 4.2), is the first page.
 */
export function parsePage(value: string | null | undefined): number {
  if (value === null || value === undefined || !/^\s*\+?[1-9]\d*\s*$/.test(value)) return 1
  const page = BigInt(value.trim().replace('+', ''))
  return page > largestInteger ? 1 : Number(page < BigInt(Number.MAX_SAFE_INTEGER) ? page : Number.MAX_SAFE_INTEGER)
}

/** The paginator object with its fields in the order of the wire (spec 2.2); a page beyond the last has no items. */
export function paginate(page: PageOf<UploadPage['data'][number]>): UploadPage {
  const { items, page: current, perPage, total, path } = page
  const lastPage = Math.max(Math.ceil(total / perPage), 1)
  const urlOf = (number: number) => `${path}?page=${number}`
  const first = items.length === 0 ? null : (current - 1) * perPage + 1
  const previous = current > 1 ? urlOf(current - 1) : null
  const next = current < lastPage ? urlOf(current + 1) : null
  return {
    current_page: current,
    data: items,
    first_page_url: urlOf(1),
    from: first,
    last_page: lastPage,
    last_page_url: urlOf(lastPage),
    links: [
      { url: previous, label: '« Previous', active: false },
      ...pageWindow(current, lastPage).map((number) => pageLink(number, current, urlOf)),
      { url: next, label: 'Next »', active: false },
    ],
    next_page_url: next,
    path,
    per_page: perPage,
    prev_page_url: previous,
    to: first === null ? null : first + items.length - 1,
    total,
  }
}

type Gap = '...'

function pageLink(number: number | Gap, current: number, urlOf: (number: number) => string): PageLink {
  if (number === '...') return { url: null, label: number, active: false }
  return { url: urlOf(number), label: String(number), active: number === current }
}

/** How many pages are shown on each side of the current one. */
const onEachSide = 3

/** From how near an end the window reaches to that end without a gap. */
const nearEnd = onEachSide + 4

function pageWindow(current: number, last: number): readonly (number | Gap)[] {
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
