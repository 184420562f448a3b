import type { Upload, UploadPage } from '../protocol/resources.ts'
import { NoProofError, NotFoundError, UnexpectedResponseError } from './errors.ts'
import { PageOrder, type PlacedPage, perPageOf } from './page-order.ts'
import { createReadAhead, type ReadAheadOptions, type ReadPage } from './read-ahead.ts'

/** Uploads may be missing among those that were read. */
export class IncompleteListError extends NoProofError {
  readonly why: string

  constructor(why: string, hint: string) {
    super(`Uploads may be missing: ${why}`, { hint: `Those that were read are real; ${hint}` })
    this.why = why
  }
}

/** More were deleted meanwhile than reading again can follow. */
export class ShiftingListError extends IncompleteListError {
  constructor() {
    const why = 'others were deleted all the time while the list was read'
    super(why, 'read the list again once nothing is being deleted')
  }
}

/** The pages are not those that were asked for, or not all that the list counts. */
export class WrongPagesError extends IncompleteListError {
  constructor(why: string) {
    super(why, 'the service, or a cache before it, has to answer with each page that is asked for')
  }
}

/** @throws WrongPagesError for another page than the one asked for; in place of one beyond the last, services show any */
export function assertPage(asked: number, { current_page, last_page }: UploadPage): void {
  if (current_page === asked || asked > last_page) return
  throw new WrongPagesError(`page ${asked} was asked for, and page ${current_page} came`)
}

/**
 * The uploads of each page, newest first, without those seen before: pages are numbered from the newest, so a new upload
 * pushes others onto the next page, and a deletion pulls others onto the page before.
 *
 * @throws IncompleteListError after all that could be read; UnexpectedResponseError for a list without an end
 */
export async function* eachPage(
  readPage: ReadPage,
  options: ReadAheadOptions = {},
): AsyncGenerator<readonly Upload[], void, undefined> {
  const watch = createPageWatch<Upload>(({ slug }) => slug)
  const pages = createReadAhead(readPage, watch.has, options)
  try {
    yield* inOrder(pages.read, watch)
  } finally {
    pages.stop()
  }
}

async function* inOrder(readPage: (page: number) => Promise<UploadPage>, watch: PageWatch<Upload>) {
  const order = new PageOrder()
  const news = createNews(watch)
  let total = 0
  for (let number = order.next(); number !== undefined; number = order.next()) {
    let read: UploadPage
    try {
      read = await readPage(number)
    } catch (error) {
      // The list may have become shorter: the page before tells.
      if (error instanceof NotFoundError && order.gone()) continue
      throw error
    }
    // A service without pages has shown all it has.
    total = read.total
    if (watch.count() < total) assertPage(number, read)
    for (const placed of order.took(read)) yield news.take(placed)
    if (order.next() !== undefined) watch.assertEnds()
  }
  if (order.mayMiss()) throw new ShiftingListError()
  const count = watch.count()
  // Where others are added in front and the total stays, as many were deleted.
  if (order.isShort(count + news.shifted())) throw new WrongPagesError(`the list ended after ${count} of ${total}`)
}

/** What each page of a list has that no page before had. */
function createNews(watch: PageWatch<Upload>) {
  let [highest, shifted] = [0, 0]
  return {
    take({ number, page }: PlacedPage): readonly Upload[] {
      const { data, last_page } = page
      // A page that is read again tells nothing of the list's end.
      const news = number > highest ? watch.take(data, last_page) : watch.fresh(data)
      highest = Math.max(highest, number)
      // A full page of uploads that were read already was not shifted: it is another page.
      if (news.length > 0 || data.length < perPageOf(page)) shifted += data.length - news.length
      return news
    },
    /** How many uploads came twice, because others were added in front of them. */
    shifted: () => shifted,
  }
}

/** Uploads made while the list is read push others onto the next page, so that one or two pages may bring nothing new. */
const MOST_PAGES_WITHOUT_NEWS = 3
/** How many pages a list may grow while it is read. */
const MOST_PAGES_MORE = 100

type PageWatch<T> = ReturnType<typeof createPageWatch<T>>

/** Watches the pages of a list as they are read, and stops one that has no end. */
export function createPageWatch<T>(keyOf: (item: T) => string) {
  const seen = new Set<string>()
  let pages = 0
  let withoutNews = 0
  let firstLastPage: number | undefined
  const fresh = (items: readonly T[]) =>
    items.filter((item) => {
      const size = seen.size
      return seen.add(keyOf(item)).size > size
    })

  return {
    /**
     * @param lastPage the number of pages by this page; undefined if it does not say
     * @returns the items that no page before had
     */
    take(items: readonly T[], lastPage: number | undefined): readonly T[] {
      const news = fresh(items)
      if (pages === 0) firstLastPage = lastPage
      pages += 1
      withoutNews = news.length > 0 ? 0 : withoutNews + 1
      return news
    },
    /** The same without counting the page. */
    fresh,
    /** How many different items were read. */
    count: () => seen.size,
    /** Whether a page before had the item. */
    has: (item: T) => seen.has(keyOf(item)),
    /** To be called before each further page. @throws UnexpectedResponseError if the list seems to have no end */
    assertEnds() {
      if (withoutNews >= MOST_PAGES_WITHOUT_NEWS) throw endless(`${withoutNews} pages in a row brought nothing new`)
      if (firstLastPage !== undefined && pages >= firstLastPage + MOST_PAGES_MORE) {
        throw endless(`its first page counted ${firstLastPage} pages, and ${pages} have been read`)
      }
    },
  }
}

function endless(why: string): UnexpectedResponseError {
  return new UnexpectedResponseError(`The list has no end: ${why}`, {
    hint: 'The uploads read so far are real; the service has to correct its pages',
  })
}
