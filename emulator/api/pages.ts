import type { PageLink, UploadPage } from '../../src/protocol/resources.ts'
import { maxInteger, trimmed } from '../php/form.ts'
import type { Settings } from '../settings/settings.ts'

const maxIntegerLength = String(-maxInteger).length

/**
 * Reads the `page` parameter: a whole number above zero; a plus sign and surrounding blanks are allowed. Missing or
 * blank means page 1. The spec leaves open how to answer an invalid one (spec 4.2).
 *
 * @param value null if the parameter is a list
 * @returns the page, counted from 1, or the message of a validation error
 */
export function parsePage(value: string | null | undefined): number | string {
  const text = trimmed(value ?? '')
  if (text === '' && value !== null) return 1
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  const isInteger = text.length <= maxIntegerLength && /^[+-]?(?:0|[1-9]\d*)$/.test(text)
  const number = isInteger ? BigInt(text.replace('+', '')) : undefined
  if (number === undefined || number > maxInteger) return 'The page field must be an integer.'
  if (number < 1n) return 'The page field must be at least 1.'
  return Math.min(Number(number), Number.MAX_SAFE_INTEGER)
}

/** The query as sent, without `page`, as page URLs repeat it: empty, or `name=value&`. */
export function queryWithoutPage(query: string): string {
  const kept = query.split('&').filter((pair) => pair !== '' && !/^page(=|$)/.test(pair))
  return kept.map((pair) => `${pair}&`).join('')
}

/** What a page depends on besides its uploads. */
export interface PagePlace {
  readonly page: number
  readonly perPage: number
  readonly total: number
  /** The list's absolute URL without a query. */
  readonly path: string
  /** The query that page URLs repeat: empty, or `name=value&`. */
  readonly query: string
  readonly settings: Settings
}

/** The last page's number, at least 1. */
export function lastPageOf(total: number, perPage: number): number {
  return Math.max(Math.ceil(total / perPage), 1)
}

/** The paginator object, its fields in the order of the spec (spec 2.2); a page beyond the last is empty. */
export function paginate<Item>(
  items: readonly Item[],
  place: PagePlace,
): Omit<UploadPage, 'data'> & { data: readonly Item[] } {
  const { page: current, perPage, total, path, query, settings } = place
  const last = lastPageOf(total, perPage)
  const urlOf = (number: number) => `${path}?${query}page=${number}`
  const before = current > 1 ? current - 1 : null
  const after = current < last ? current + 1 : null
  const link = (page: number | null, label: string, active = false): PageLink => {
    const url = page === null ? null : urlOf(page)
    return settings.links_page_key ? { url, label, ...{ page }, active } : { url, label, active }
  }
  const numbers = pageWindow(current, last).map((page) =>
    page === '...' ? { url: null, label: page, active: false } : link(page, String(page), page === current),
  )
  const isUnicode = settings.link_labels === 'unicode'
  const first = items.length === 0 ? null : (current - 1) * perPage + 1
  return {
    current_page: current,
    data: items,
    first_page_url: urlOf(1),
    from: first,
    last_page: last,
    last_page_url: urlOf(last),
    links: [
      link(before, isUnicode ? '« Previous' : '&laquo; Previous'),
      ...numbers,
      link(after, isUnicode ? 'Next »' : 'Next &raquo;'),
    ],
    next_page_url: after === null ? null : urlOf(after),
    path,
    per_page: perPage,
    prev_page_url: before === null ? null : urlOf(before),
    to: first === null ? null : first + items.length - 1,
    total,
  }
}

/** Pages shown on each side of the current one. */
const onEachSide = 3

/** A current page this close to an end is linked to that end without a gap. */
const nearEnd = onEachSide + 4

/** The pages at both ends and around the current one, as the framework links them. */
function pageWindow(current: number, last: number): readonly (number | '...')[] {
  if (last < 2 * onEachSide + 8) return range(1, last)
  const [start, end] = [range(1, 2), range(last - 1, last)]
  if (current <= nearEnd) return [...range(1, nearEnd + onEachSide), '...', ...end]
  if (current > last - nearEnd) return [...start, '...', ...range(last - (nearEnd + onEachSide - 1), last)]
  return [...start, '...', ...range(current - onEachSide, current + onEachSide), '...', ...end]
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
